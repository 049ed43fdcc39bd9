public import Foundation
package import LocalizedTexts

/// The language of a program's sentences, and how dates, numbers and money are written in it.
///
/// A program sets ``current`` once, around all that it does; a library's user gets English.
public struct AppLocale: Hashable, Sendable {
  /// The language of the sentences.
  public var language: Language { texts.language }
  /// The locale of dates and money: the language, with a region where the environment names one.
  public var locale: Locale { texts.locale }
  package let texts: TextLocale<Language>

  /// The locale of what runs now.
  @TaskLocal public static var current = AppLocale(.english)

  /// The language alone, without a region.
  public init(_ language: Language) { texts = TextLocale(language) }

  /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set decides; English where the programs do not speak its
  /// language. A language that is given wins, and keeps the region of an environment in the same language.
  public init(language: Language? = nil, environment: [String: String]) {
    texts = TextLocale(language: language, environment: environment)
  }

  /// The text of a key, with its places filled in.
  package func text(_ key: MessageKey, _ arguments: String...) -> String { texts.text(key, arguments) }

  /// The text of a key for a number of things, which is its first argument.
  package func count(_ number: Int, _ key: MessageKey) -> String { texts.text(key, count: number, ["\(number)"]) }
}
