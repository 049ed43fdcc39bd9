public import Foundation
import LocalizedTexts

/// Rules for amounts of money: exact decimals from 0 to 1,000,000,000 with at most as many places as the currency has.
public enum Amount {
  /// The largest amount of a charge. A thousand million: in some currencies a lunch costs a million.
  public static let largest: Decimal = 1_000_000_000

  /// Reads `12.99` or `12,99`. At most the currency's decimal places, so that `1,299` is refused instead of misread.
  public static func parse(_ text: String, in currency: Currency = .euro) throws -> Decimal {
    let parts = text.split(separator: text.contains(",") ? "," : ".", omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy {
      !$0.isEmpty && $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    }
    guard isDigits, parts.count <= 2, parts[0].count <= 10,
      parts.count == 1 || parts[1].count <= max(2, currency.decimals),
      let value = Decimal(string: parts.joined(separator: "."), locale: Locale(identifier: "en_US_POSIX"))
    else {
      throw SubscriptionError(
        .invalidValue,
        currency.decimals > 2 ? Sentence(.notAnAmountOfThree, .text(text)) : Sentence(.notAnAmount, .text(text)))
    }
    return try checked(value, in: currency)
  }

  /// The amount itself, when it keeps the rules.
  public static func checked(_ amount: Decimal, in currency: Currency = .euro) throws -> Decimal {
    guard !amount.isNaN, amount >= 0, amount <= largest, amount == rounded(amount, to: currency.decimals) else {
      throw SubscriptionError(
        .invalidValue, Sentence(.amountOutside, "\(amount)", "\(currency.decimals)", .text(currency.rawValue)))
    }
    return amount
  }

  /// Rounded to cents, halves to even, so that many roundings do not drift.
  /// For display: sums are made of exact amounts.
  public static func cents(_ amount: Decimal) -> Decimal { rounded(amount, to: 2) }

  private static func rounded(_ amount: Decimal, to decimals: Int) -> Decimal {
    var (exact, rounded) = (amount, Decimal())
    NSDecimalRound(&rounded, &exact, decimals, .bankers)
    return rounded
  }

  /// Such as `12.90`: two decimals, a point, no grouping.
  public static func text(_ amount: Decimal) -> String { text(Money(amount, .euro)) }

  /// With the decimals of the currency, a point, no grouping.
  public static func text(_ money: Money) -> String {
    let places = money.currency.decimals
    let isExact = money.amount.exponent >= -places
    let digits = (isExact ? money.amount : rounded(money.amount, to: places)).description
    guard places > 0 else { return digits }
    let point = digits.firstIndex(of: ".")
    let decimals = point.map { digits.distance(from: $0, to: digits.endIndex) - 1 } ?? 0
    return digits + (point == nil ? "." : "") + String(repeating: "0", count: places - decimals)
  }
}
