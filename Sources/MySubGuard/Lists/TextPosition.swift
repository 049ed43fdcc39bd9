import LocalizedTexts

/// A place in a text, as an editor shows it: both numbers start at 1, the column counts characters.
public struct TextPosition: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int

  /// Creates a position from its parts.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The position in words, such as `line 3, column 7`.
  public var description: String { sentence.text(in: .current) }

  var sentence: Sentence { Sentence(.position, "\(line)", "\(column)") }

  /// Whether a position comes before another.
  public static func < (left: TextPosition, right: TextPosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// Moves behind `character`.
  mutating func advance(over character: Character) {
    if character.isLineEnd {
      line += 1
      column = 1
    } else {
      column += 1
    }
  }
}

extension Character {
  /// LF, CR LF or CR. Other separators of Unicode are ordinary text in a list.
  var isLineEnd: Bool { self == "\n" || self == "\r\n" || self == "\r" }
}
