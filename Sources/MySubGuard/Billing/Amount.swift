public import Foundation
import LocalizedTexts
import RecordStore

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
    guard keepsRules(amount, currency.decimals) else {
      throw SubscriptionError(
        .invalidValue, Sentence(.amountOutside, "\(amount)", "\(currency.decimals)", .text(currency.rawValue)))
    }
    return amount
  }

  /// Asked of every amount that is read: taken apart, which costs a hundredth of rounding and comparing decimals.
  private static func keepsRules(_ amount: Decimal, _ decimals: Int) -> Bool {
    let parts = DecimalParts(amount)
    guard !parts.isNotANumber, !parts.isNegative, parts.exponent >= -decimals else { return false }
    guard parts.exponent <= 9, let mantissa = UInt64(exactly: parts.mantissa) else { return false }
    let place = Int(parts.exponent) + decimals
    let (units, overflows) = mantissa.multipliedReportingOverflow(by: powers[place])
    return !overflows && units <= 1_000_000_000 * powers[decimals]
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
    if let text = plainText(DecimalParts(money.amount), places) { return text }
    let isExact = money.amount.exponent >= -places
    let digits = (isExact ? money.amount : rounded(money.amount, to: places)).description
    guard places > 0 else { return digits }
    let point = digits.firstIndex(of: ".")
    let decimals = point.map { digits.distance(from: $0, to: digits.endIndex) - 1 } ?? 0
    return digits + (point == nil ? "." : "") + String(repeating: "0", count: places - decimals)
  }

  /// Nil for what has more decimals or digits than amounts have, which is rounded or written by Foundation.
  private static func plainText(_ parts: DecimalParts, _ places: Int) -> String? {
    let shift = Int(parts.exponent) + places
    guard !parts.isNotANumber, powers.indices.contains(shift), powers.indices.contains(places),
      let mantissa = UInt64(exactly: parts.mantissa)
    else { return nil }
    let (units, overflows) = mantissa.multipliedReportingOverflow(by: powers[shift])
    if overflows { return nil }
    let (whole, part) = units.quotientAndRemainder(dividingBy: powers[places])
    let sign = parts.isNegative ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let digits = "\(part)"
    return "\(sign)\(whole).\(String(repeating: "0", count: places - digits.utf8.count))\(digits)"
  }

  private static let powers: [UInt64] = (0...13).map { places in (0..<places).reduce(1) { power, _ in power * 10 } }
}
