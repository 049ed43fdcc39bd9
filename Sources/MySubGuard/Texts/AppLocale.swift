public import Foundation

/// The language of a program's sentences, and how dates, numbers and money are written in it.
///
/// A program sets ``current`` once, around all that it does; a library's user gets English.
public struct AppLocale: Hashable, Sendable {
  /// The language of the sentences.
  public let language: Language
  /// The locale of dates and money: the language, with a region where the environment names one.
  public let locale: Locale
  let formats: FormatCache

  /// The locale of what runs now.
  @TaskLocal public static var current = AppLocale(.english)

  /// The language alone, without a region.
  public init(_ language: Language) {
    self.init(language, Locale(identifier: language.rawValue))
  }

  /// The first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set decides; English where the programs do not speak its
  /// language. A language that is given wins, and keeps the region of an environment in the same language.
  public init(language: Language? = nil, environment: [String: String]) {
    let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let spoken = Language(localeName: name)
    guard let spoken, language == nil || language == spoken else {
      self.init(language ?? .english)
      return
    }
    self.init(spoken, Locale(identifier: String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })))
  }

  private init(_ language: Language, _ locale: Locale) {
    (self.language, self.locale) = (language, locale)
    formats = FormatCache(locale)
  }

  /// By the language and the locale.
  public static func == (left: AppLocale, right: AppLocale) -> Bool {
    left.language == right.language && left.locale == right.locale
  }

  /// By the language and the locale.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(language)
    hasher.combine(locale)
  }

  /// The text of a key, with its places filled in.
  package func text(_ key: MessageKey, _ arguments: String...) -> String { text(key, arguments) }

  /// The text of a key for a number of things, which is its first argument.
  package func count(_ number: Int, _ one: MessageKey, _ other: MessageKey) -> String {
    text(language.isSingular(number) ? one : other, ["\(number)"])
  }

  func text(_ key: MessageKey, _ arguments: [String]) -> String {
    StringTable.filled(StringTable.of(language)[key], with: arguments)
  }
}
