import Crypto
import RecordStore

/// The key by which the founder of a shared family certifies its writers: an Ed25519 signing key, which never leaves
/// the founder's device.
struct FounderKey: Hashable, Sendable, CustomStringConvertible {
  static let byteCount = 32

  let secret: [UInt8]
  let publicKey: [UInt8]

  /// A new one, of the system's random numbers.
  init() {
    let key = Curve25519.Signing.PrivateKey()
    (secret, publicKey) = (Array(key.rawRepresentation), Array(key.publicKey.rawRepresentation))
  }

  /// Nil for what is no secret of such a key.
  init?(secret: [UInt8]) {
    do {
      publicKey = Array(try Curve25519.Signing.PrivateKey(rawRepresentation: secret).publicKey.rawRepresentation)
    } catch {
      return nil
    }
    self.secret = secret
  }

  /// A new signing key that may write while the family has one reading key.
  func pen(for family: RecordID, keyID: String) throws(SyncError) -> WriterPen {
    try pen(Array(Curve25519.Signing.PrivateKey().rawRepresentation), for: family, keyID: keyID)
  }

  /// The signing key of a secret that somebody else drew.
  func pen(_ pen: [UInt8], for family: RecordID, keyID: String) throws(SyncError) -> WriterPen {
    do {
      let publicKey = Array(try Curve25519.Signing.PrivateKey(rawRepresentation: pen).publicKey.rawRepresentation)
      let message = WriterCertificate.message(publicKey, family: family, keyID: keyID)
      let signature = Array(
        try Curve25519.Signing.PrivateKey(rawRepresentation: secret).signature(for: message))
      return WriterPen(
        secret: pen, certificate: WriterCertificate(publicKey: publicKey, signature: signature))
    } catch {
      throw SyncError(.unusableKey, "cannot sign a writer's certificate: \(error)", cause: error)
    }
  }

  /// Nothing secret.
  var description: String { "a founder's key" }
}
