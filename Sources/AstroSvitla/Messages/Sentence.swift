package import LocalizedTexts

/// A sentence of the app by its key.
package typealias Sentence = LocalizedSentence<MessageKey>
