package import Foundation

/// A language, the region of its dates and money, and what Foundation says of both.
package struct TextLocale<Language: SpokenLanguage>: Hashable, Sendable {
  /// The language of the sentences.
  package let language: Language
  /// The locale of dates and money: the language, with a region where the environment names one.
  package let locale: Locale
  private let formats: FormatCache

  /// The language alone, without a region.
  package init(_ language: Language) { self.init(language, Locale(identifier: language.rawValue)) }

  /// The environment's language and region. A language that is given wins, and keeps the region of an environment in
  /// the same language.
  package init(language: Language? = nil, environment: [String: String]) {
    let name = Language.localeName(in: environment)
    let spoken = Language.named(byLocale: name)
    guard let spoken, language == nil || language == spoken else {
      self.init(language ?? .fallback)
      return
    }
    self.init(spoken, Locale(identifier: String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })))
  }

  private init(_ language: Language, _ locale: Locale) {
    (self.language, self.locale) = (language, locale)
    formats = FormatCache(locale)
  }

  /// By the language and the locale.
  package static func == (left: TextLocale, right: TextLocale) -> Bool {
    left.language == right.language && left.locale == right.locale
  }

  /// By the language and the locale.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(language)
    hasher.combine(locale)
  }
}

// Texts.
extension TextLocale {
  /// The text of a key, with its places filled in.
  package func text<Key: RawRepresentable>(_ key: Key, _ arguments: [String] = []) -> String
  where Key.RawValue == String {
    StringTable.filled(language.table[key.rawValue], with: arguments)
  }

  /// The text of a key in the form of a number.
  package func text<Key: RawRepresentable>(_ key: Key, count: Int, _ arguments: [String]) -> String
  where Key.RawValue == String {
    let form = PluralForm(of: count, in: language.rawValue)
    return StringTable.filled(language.table[key.rawValue, form], with: arguments)
  }
}

// Numbers and days.
extension TextLocale {
  /// An amount of money. The digits are a plain number such as `1234.50`, with the decimals that the currency has.
  package func money(_ digits: String, _ currencyCode: String) -> String {
    formats.pattern(of: currencyCode).text(digits)
  }

  /// The digits of an amount without the currency.
  package func number(_ digits: String, _ currencyCode: String) -> String {
    formats.pattern(of: currencyCode).number(digits)
  }

  /// A number with so many decimals; with `isSigned` a plus stands before what is above zero.
  package func number(_ value: Double, decimals: Int, isSigned: Bool = false) -> String {
    value.formatted(
      FloatingPointFormatStyle<Double>(locale: locale).precision(.fractionLength(decimals)).grouping(.never)
        .sign(strategy: isSigned ? .always(includingZero: true) : .automatic))
  }

  /// A day, or a day with its time, in UTC.
  package func text(_ date: Date, _ style: DateStyle) -> String { formats.text(date, style) }

  /// A day with its time on the wall of a place, and how far that wall is from UTC: `Jan 31, 2026 at 7:05 PM +02:00`.
  package func moment(_ date: Date, in zone: TimeZone = .current) -> String {
    let offset = zone.secondsFromGMT(for: date)
    let minutes = abs(offset) / 60
    let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return text(date.addingTimeInterval(Double(offset)), .moment) + (offset < 0 ? " -" : " +")
      + parts.joined(separator: ":")
  }
}
