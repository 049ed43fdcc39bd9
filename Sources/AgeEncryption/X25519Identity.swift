import Crypto

/// The secret half of a key, by which files are read: `AGE-SECRET-KEY-1…`.
///
/// Its description tells the public half alone, so that no log and no message holds the secret.
package struct X25519Identity: Hashable, Sendable, CustomStringConvertible {
  private static let prefix = "age-secret-key-"
  private let secret: [UInt8]
  package let recipient: X25519Recipient

  /// A new one, of the system's random numbers.
  package init() {
    let key = Curve25519.KeyAgreement.PrivateKey()
    secret = Array(key.rawRepresentation)
    recipient = X25519Recipient(bytes: Array(key.publicKey.rawRepresentation))
  }

  /// Makes an identity of 32 bytes that nobody can guess. Throws ``AgeError`` `malformedKey` for another number of
  /// bytes.
  package init(secret: [UInt8]) throws(AgeError) {
    do {
      let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)
      recipient = X25519Recipient(bytes: Array(key.publicKey.rawRepresentation))
    } catch {
      throw AgeError(.malformedKey, "a secret key of age has 32 bytes, not \(secret.count)")
    }
    self.secret = secret
  }

  /// Throws ``AgeError`` `malformedKey`.
  package init(_ text: String) throws(AgeError) {
    guard let bytes = Bech32.decode(text, prefix: X25519Identity.prefix), text.hasPrefix("AGE-SECRET-KEY-1") else {
      throw AgeError(
        .malformedKey, "this is no secret key of age: one begins with AGE-SECRET-KEY-1 and has 74 characters")
    }
    try self.init(secret: bytes)
  }

  /// The secret itself, for a file that only its owner reads.
  package var secretText: String { Bech32.encode(secret, prefix: X25519Identity.prefix).uppercased() }
  package var description: String { "the identity of \(recipient)" }

  private static let lowOrder = AgeError.malformed("a stanza for X25519 holds a point that hides nothing")

  /// The file key, if the stanza was made for this identity. Throws ``AgeError`` `malformedHeader`.
  func unwrap(_ stanza: AgeStanza) throws -> FileKey? {
    guard stanza.type == X25519Recipient.stanzaType else { return nil }
    guard stanza.arguments.count == 1, let share = CanonicalBase64.decode(Array(stanza.arguments[0].utf8)[...]),
      share.count == 32, stanza.body.count == FileKey.wrappedBytes
    else { throw AgeError.malformed("a stanza for X25519 does not have the form of one") }
    let shared: SharedSecret
    do {
      shared = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret)
        .sharedSecretFromKeyAgreement(with: .init(rawRepresentation: share))
    } catch {
      throw X25519Identity.lowOrder
    }
    // RFC 7748, section 6.1: a point of low order gives everybody the same secret.
    guard shared.withUnsafeBytes({ $0.contains { $0 != 0 } }) else { throw X25519Identity.lowOrder }
    return FileKey(
      wrapped: stanza.body,
      by: X25519Recipient.wrappingKey(shared, share: share, recipient: recipient.bytes))
  }
}
