import Crypto

/// To whom a file is written: the public half of a key, `age1…`. Anybody may know it.
package struct X25519Recipient: Hashable, Sendable, CustomStringConvertible {
  private static let prefix = "age"
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Throws ``AgeError`` `malformedKey`.
  package init(_ text: String) throws(AgeError) {
    guard let bytes = Bech32.decode(text, prefix: X25519Recipient.prefix), bytes.count == 32, text.hasPrefix("age1")
    else {
      throw AgeError(.malformedKey, "this is no recipient of age: one begins with age1 and is 62 characters long")
    }
    self.bytes = bytes
  }

  package var description: String { Bech32.encode(bytes, prefix: X25519Recipient.prefix) }

  /// The stanza by which the recipient's identity gets the file key.
  func wrap(_ fileKey: FileKey, by ephemeral: Curve25519.KeyAgreement.PrivateKey = .init()) throws -> AgeStanza {
    let share = Array(ephemeral.publicKey.rawRepresentation)
    let shared = try ephemeral.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: bytes))
    let key = X25519Recipient.wrappingKey(shared, share: share, recipient: bytes)
    return AgeStanza(
      type: X25519Recipient.stanzaType, arguments: [CanonicalBase64.encode(share)], body: try fileKey.wrapped(by: key))
  }

  static let stanzaType = "X25519"

  static func wrappingKey(_ shared: SharedSecret, share: [UInt8], recipient: [UInt8]) -> SymmetricKey {
    shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: share + recipient, sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
      outputByteCount: 32)
  }
}
