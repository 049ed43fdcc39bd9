/// A sentence by its key: said in whatever language its reader speaks.
package struct LocalizedSentence<Key>: Hashable, Sendable
where Key: RawRepresentable & Hashable & Sendable, Key.RawValue == String {
  /// The filling of a place in a sentence.
  package enum Argument: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Words that are the same in every language: names, paths, what a person typed.
    case text(String)
    /// A sentence within the sentence.
    case sentence(LocalizedSentence)
    /// A number with so many decimals, as the language writes it.
    case number(Double, decimals: Int)
    /// How many things there are: the sentence takes the plural form of the number.
    case count(Int)

    package init(stringLiteral text: String) { self = .text(text) }

    fileprivate func text<Language: SpokenLanguage>(in locale: TextLocale<Language>) -> String {
      switch self {
      case .text(let text): text
      case .sentence(let sentence): sentence.text(in: locale)
      case .number(let value, let decimals): locale.number(value, decimals: decimals)
      case .count(let number): "\(number)"
      }
    }
  }

  package let key: Key
  package let arguments: [Argument]

  package init(_ key: Key, _ arguments: Argument...) { self.init(key, arguments: arguments) }

  package init(_ key: Key, arguments: [Argument]) {
    self.key = key
    self.arguments = arguments
  }

  /// The sentence in a language.
  package func text<Language: SpokenLanguage>(in locale: TextLocale<Language>) -> String {
    let texts = arguments.map { $0.text(in: locale) }
    let counts = arguments.compactMap { if case .count(let number) = $0 { number } else { nil } }
    guard let count = counts.first else { return locale.text(key, texts) }
    return locale.text(key, count: count, texts)
  }
}
