import Foundation

/// Text made fit for a terminal: no control characters, a known width.
package enum TerminalText {
  /// Line ends, tabs and escapes become visible, so that stored text cannot steer the terminal or break a table. So do
  /// marks that turn the direction of what follows, as they would turn the other columns.
  package static func visible(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{202A}"..."\u{202E}",
        "\u{2066}"..."\u{2069}":
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Trouble in lines, of which each is made visible. `words` are quoted in it as they came: a line end in one of them
  /// is no end of a line.
  package static func visibleLines(_ text: String, quoting words: some Sequence<String>) -> String {
    let text = words.reduce(text) { text, word in
      let shown = visible(word)
      return shown == word ? text : text.replacingOccurrences(of: word, with: shown)
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { visible($0) }.joined(separator: "\n")
  }

  /// Terminal columns: East Asian wide characters and pictures take two, marks without a shape of their own none.
  package static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  package static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    // A picture of several parts takes as much as one. The selector asks for the picture form of a sign.
    if scalars.contains("\u{FE0F}") || scalars.first.map(isWide) == true { return 2 }
    // Vowels of Indian scripts stand beside their consonant, accents above it.
    return scalars.reduce(0) { $0 + ($1.value < 0x300 || !isShapeless($1) ? 1 : 0) }
  }

  private static func isShapeless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x1100: false
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
      0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
      true
    // The picture form without being asked, flags of countries among them.
    default: scalar.properties.isEmojiPresentation
    }
  }

  /// At most `columns` wide, the end replaced by `…` where it is cut.
  package static func cut(_ text: String, to columns: Int) -> String {
    if width(text) <= columns { return text }
    var result = ""
    var used = 1
    for character in text {
      used += width(character)
      if used > columns { break }
      result.append(character)
    }
    return columns > 0 ? result + "…" : ""
  }
}
