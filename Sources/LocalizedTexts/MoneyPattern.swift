import Foundation

/// How a locale writes the amounts of a currency, read off one amount that Foundation writes: ten thousand amounts
/// would cost it longer than the store.
struct MoneyPattern: Sendable {
  private let prefix: String
  private let suffix: String
  private let grouping: String
  private let point: String

  init(_ currencyCode: String, locale: Locale) {
    let style = Decimal.FormatStyle.Currency(code: currencyCode, locale: locale).precision(.fractionLength(1))
    let sample = Decimal(12_345_674) / 10  // 1 234 567.4
    let text = sample.formatted(style)
    func place(_ digit: Character) -> String.Index { text.firstIndex(of: digit) ?? text.startIndex }
    prefix = String(text[..<place("1")])
    grouping = String(text[text.index(after: place("1"))..<place("2")])
    let last = text.lastIndex(of: "4") ?? text.startIndex
    point = String(text[text.index(after: place("7"))..<last])
    suffix = String(text[text.index(after: last)...])
  }

  /// With the currency. The digits are a number such as `1234.50`, whose decimals all count.
  func text(_ digits: String) -> String { prefix + number(digits) + suffix }

  /// Without the currency.
  func number(_ digits: String) -> String {
    let digits = digits.utf8
    let wholeCount =
      digits.firstIndex(of: UInt8(ascii: ".")).map { digits.distance(from: digits.startIndex, to: $0) }
      ?? digits.count
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
