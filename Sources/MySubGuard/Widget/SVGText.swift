import Foundation
import LocalizedTexts

/// One line of text in a picture, cut to the space it has.
///
/// The viewer's font is not known here, so widths are estimates that err on the wide side.
struct SVGText {
  var text: String
  var x: Int
  var y: Int
  var style: String
  var size: Double

  init(_ text: String, x: Int, y: Int, style: String, size: Double) {
    (self.text, self.x, self.y, self.style, self.size) = (text, x, y, style, size)
  }

  var element: String { element(text) }

  /// Ends in an ellipsis when the text is wider than `width`.
  func fitted(to width: Double) -> String {
    if self.width <= width { return element }
    var (cut, used) = ("", Self.emWidth(of: "…") * size)
    for character in text {
      used += Self.emWidth(of: character) * size
      if used > width { break }
      cut.append(character)
    }
    return element(cut.trimmingCharacters(in: .whitespaces) + "…")
  }

  var width: Double { text.reduce(0) { $0 + Self.emWidth(of: $1) } * size }

  private func element(_ content: String) -> String {
    let place = "x=\"\(x)\" y=\"\(y)\" font-size=\"\(SVGNumber(size))\""
    return "<text class=\"\(style)\" \(place)>\(XMLText.escaped(content))</text>"
  }

  /// Rounded up from the common sans-serif fonts.
  private static func emWidth(of character: Character) -> Double {
    switch character {
    case "i", "l", "j", ".", ",", "'", "’", "|", "!", ":", ";", "1": 0.34
    case " ", "f", "t", "r", "-", "(", ")", "I": 0.40
    case "m", "w", "M", "W", "@", "…": 0.95
    case let letter where letter.isUppercase: 0.72
    case let wide where wide.unicodeScalars.contains { $0.value > 0x2E7F }: 1.1
    default: 0.60
    }
  }

  /// For drawing only: sums stay decimal.
  static func number(_ value: Decimal) -> Double { NSDecimalNumber(decimal: value).doubleValue }
}
