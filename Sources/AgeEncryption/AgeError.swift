/// Why a file, a key or a passphrase is not taken. The message is one sentence without a subject that the caller knows
/// better: the caller names the file.
package struct AgeError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The bytes are no age file, or their header breaks a rule of the format.
    case malformedHeader
    /// The header is well formed, and was changed after it was written.
    case forgedHeader
    /// None of the keys, or not this passphrase, opens the file.
    case wrongKey
    /// The payload was changed, cut short or lengthened.
    case damagedPayload
    /// A text is no key.
    case malformedKey
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
  package var description: String { message }
}
