public import Foundation

/// Rules for amounts of money: exact decimals from 0 to 1,000,000 with at most two places.
public enum Amount {
  /// The largest amount of a charge.
  public static let largest: Decimal = 1_000_000

  /// Reads `12.99` or `12,99`. At most two decimal places, so that `1,299` is refused instead of misread.
  public static func parse(_ text: String) throws -> Decimal {
    let parts = text.split(separator: text.contains(",") ? "," : ".", omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy {
      !$0.isEmpty && $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    }
    guard isDigits, parts.count <= 2, parts[0].count <= 7, parts.count == 1 || parts[1].count <= 2,
      let value = Decimal(string: parts.joined(separator: "."), locale: Locale(identifier: "en_US_POSIX"))
    else {
      throw SubscriptionError(
        .invalidValue, "“\(text)” is not an amount: write digits with at most two decimals, such as 12.99")
    }
    return try checked(value)
  }

  /// The amount itself, when it keeps the rules.
  public static func checked(_ amount: Decimal) throws -> Decimal {
    guard !amount.isNaN, amount >= 0, amount <= largest, amount == cents(amount) else {
      throw SubscriptionError(
        .invalidValue, "the amount \(amount) is not allowed: it must be 0 to 1000000 with at most two decimals")
    }
    return amount
  }

  /// Rounded to cents, halves to even, so that many roundings do not drift.
  /// For display: sums are made of exact amounts.
  public static func cents(_ amount: Decimal) -> Decimal {
    var (exact, rounded) = (amount, Decimal())
    NSDecimalRound(&rounded, &exact, 2, .bankers)
    return rounded
  }

  /// Such as `12.90`: two decimals, a point, no grouping.
  public static func text(_ amount: Decimal) -> String {
    let digits = cents(amount).description
    let decimals = digits.firstIndex(of: ".").map { digits.distance(from: $0, to: digits.endIndex) - 1 } ?? 0
    return switch decimals {
    case 0: digits + ".00"
    case 1: digits + "0"
    default: digits
    }
  }

  /// Such as `12.90 €`. A subscription has no currency of its own: a person's bills are in one.
  public static func display(_ amount: Decimal) -> String { text(amount) + " €" }
}
