import Crypto

/// The means by which a writer of a shared family signs: an Ed25519 key, and the founder's certificate for it.
struct WriterPen: Hashable, Sendable, CustomStringConvertible {
  let secret: [UInt8]
  let certificate: WriterCertificate

  init(secret: [UInt8], certificate: WriterCertificate) { (self.secret, self.certificate) = (secret, certificate) }

  /// Nil where the secret is not that of the key which the certificate names.
  init?(secret: [UInt8], certificateSignature: [UInt8]) {
    guard let key = FounderKey(secret: secret) else { return nil }
    self.secret = secret
    certificate = WriterCertificate(publicKey: key.publicKey, signature: certificateSignature)
  }

  func signature(of message: [UInt8]) throws -> [UInt8] {
    Array(try Curve25519.Signing.PrivateKey(rawRepresentation: secret).signature(for: message))
  }

  /// Nothing secret.
  var description: String { "a writer's signing key" }
}
