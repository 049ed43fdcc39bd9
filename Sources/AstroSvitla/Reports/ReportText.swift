/// A finished text with what is counted of it once, when it is made.
public struct ReportText: Hashable, Sendable {
  /// How fast people read.
  public static let wordsPerMinute = 200

  /// The text itself.
  public let text: String
  /// Its language.
  public let language: AppLanguage
  /// Words with a letter or a digit.
  public let wordCount: Int
  /// Whole minutes at ``wordsPerMinute``, a begun one not counted, and at least one.
  public let readingMinutes: Int

  /// Throws `generationFailed` for a text without words: nobody shall pay for that.
  public init(_ text: String, language: AppLanguage) throws {
    let words = Self.countWords(text)
    guard words > 0 else {
      throw AstroSvitlaError(.generationFailed, .reportEmpty)
    }
    self.text = text
    self.language = language
    wordCount = words
    readingMinutes = max(1, words / Self.wordsPerMinute)
  }

  /// Runs of characters between white space that contain a letter or a digit.
  static func countWords(_ text: String) -> Int {
    text.split(whereSeparator: \.isWhitespace).count { $0.contains { $0.isLetter || $0.isNumber } }
  }
}
