import Foundation

/// Amounts as a currency writes them: two places for USD, none for JPY.
enum CurrencyRounding {
  /// Rounded to the currency's smallest unit, a half up; to two places where the currency is not known.
  static func rounded(_ amount: Decimal, _ currencyCode: String?) -> Decimal {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = Locale(identifier: "en_US_POSIX")
    if let currencyCode { formatter.currencyCode = currencyCode }
    var (amount, rounded) = (amount, Decimal())
    NSDecimalRound(&rounded, &amount, currencyCode == nil ? 2 : formatter.maximumFractionDigits, .plain)
    return rounded
  }
}
