package import LocalizedTexts

/// A sentence of the programs by its key.
package typealias Sentence = LocalizedSentence<MessageKey>

extension LocalizedSentence where Key == MessageKey {
  /// The sentence in the language of a locale.
  package func text(in locale: AppLocale) -> String { text(in: locale.texts) }
}
