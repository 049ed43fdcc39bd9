import Foundation

/// Money as the language and the region write it.
extension AppLocale {
  /// Such as `€12.90` and `12,90 €`, with the decimals of the currency.
  public func text(_ money: Money) -> String { formats.pattern(of: money.currency).text(money) }

  /// Without the currency: `12.90` and `12,90`.
  func number(_ money: Money) -> String { formats.pattern(of: money.currency).number(money) }
}

/// How a locale writes the amounts of a currency, read off one amount that Foundation writes: ten thousand amounts
/// would cost it longer than the store.
struct MoneyPattern: Sendable {
  private let prefix: String
  private let suffix: String
  private let grouping: String
  private let point: String

  init(_ currency: Currency, locale: Locale) {
    let style = Decimal.FormatStyle.Currency(code: currency.rawValue, locale: locale).precision(.fractionLength(1))
    let sample = Decimal(12_345_674) / 10  // 1 234 567.4
    let text = sample.formatted(style)
    func place(_ digit: Character) -> String.Index { text.firstIndex(of: digit) ?? text.startIndex }
    prefix = String(text[..<place("1")])
    grouping = String(text[text.index(after: place("1"))..<place("2")])
    let last = text.lastIndex(of: "4") ?? text.startIndex
    point = String(text[text.index(after: place("7"))..<last])
    suffix = String(text[text.index(after: last)...])
  }

  func text(_ money: Money) -> String { prefix + number(money) + suffix }

  func number(_ money: Money) -> String {
    let digits = Amount.text(money).utf8
    let wholeCount = money.currency.decimals > 0 ? digits.count - money.currency.decimals - 1 : digits.count
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index == wholeCount {
        text += point
      } else {
        if index > 0, index < wholeCount, (wholeCount - index) % 3 == 0 { text += grouping }
        text.unicodeScalars.append(Unicode.Scalar(digit))
      }
    }
    return text
  }
}
