/// A sentence by its key: said in whatever language its reader speaks.
package struct Sentence: Hashable, Sendable {
  /// The filling of a place in a sentence.
  package enum Argument: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Words that are the same in every language: names, paths, what a person typed.
    case text(String)
    /// A sentence within the sentence.
    case sentence(Sentence)

    package init(stringLiteral text: String) { self = .text(text) }
  }

  var key: MessageKey
  var arguments: [Argument]

  package init(_ key: MessageKey, _ arguments: Argument...) {
    self.key = key
    self.arguments = arguments
  }

  /// The sentence in a language.
  package func text(in locale: AppLocale) -> String {
    locale.text(
      key,
      arguments.map { argument in
        switch argument {
        case .text(let text): text
        case .sentence(let sentence): sentence.text(in: locale)
        }
      })
  }
}
