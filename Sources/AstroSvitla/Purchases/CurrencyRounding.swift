package import Foundation
import LocalizedTexts

/// Amounts as a currency writes them: two places for USD, none for JPY.
package enum CurrencyRounding {
  /// Rounded to the currency's smallest unit, a half up; to two places where the currency is not known.
  static func rounded(_ amount: Decimal, _ currencyCode: String?) -> Decimal {
    var (amount, rounded) = (amount, Decimal())
    NSDecimalRound(&rounded, &amount, decimals(of: currencyCode), .plain)
    return rounded
  }

  /// The rounded amount as a plain number with all decimals of the currency, such as `4.90`.
  package static func digits(of amount: Decimal, _ currencyCode: String?) -> String {
    let places = decimals(of: currencyCode)
    let digits = rounded(amount, currencyCode).description
    guard places > 0 else { return digits }
    let known = digits.split(separator: ".").dropFirst().first?.count ?? 0
    return digits + (known == 0 ? "." : "") + String(repeating: "0", count: places - known)
  }

  private static func decimals(of currencyCode: String?) -> Int { currencyCode.map(MinorUnit.decimals) ?? 2 }
}
