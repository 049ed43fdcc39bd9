import Crypto
import RecordStore

/// The founder's word that the holder of a signing key may write, as long as the family has one reading key.
///
/// 96 bytes: the writer's Ed25519 public key (32), and the founder's signature (64) of `tandem writer certificate 1`, a
/// byte 0, the family's id (16), the id of the reading key in 32 hexadecimal digits, the public key. A new reading key
/// makes all certificates void, and so takes the right to write from those without a new one.
struct WriterCertificate: Hashable, Sendable {
  static let byteCount = 32 + signatureBytes
  static let signatureBytes = 64

  let publicKey: [UInt8]
  let signature: [UInt8]

  var bytes: [UInt8] { publicKey + signature }

  init(publicKey: [UInt8], signature: [UInt8]) { (self.publicKey, self.signature) = (publicKey, signature) }

  /// Takes ``byteCount`` bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == WriterCertificate.byteCount, "a certificate has 96 bytes")
    self.init(publicKey: Array(bytes.prefix(32)), signature: Array(bytes.dropFirst(32)))
  }

  static func message(_ publicKey: [UInt8], family: RecordID, keyID: String) -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: Array("tandem writer certificate 1".utf8) + [0])
    writer.put(family)
    writer.put(raw: keyID.utf8)
    writer.put(raw: publicKey)
    return writer.bytes
  }

  /// Whether the founder gave it, for the family's present key.
  func isValid(founder: [UInt8], family: RecordID, keyID: String) -> Bool {
    let message = WriterCertificate.message(publicKey, family: family, keyID: keyID)
    return Ed25519.isValid(signature, of: message, by: founder)
  }
}

/// Signatures of Ed25519 (RFC 8032) over bytes.
enum Ed25519 {
  static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    do {
      return try Curve25519.Signing.PublicKey(rawRepresentation: publicKey).isValidSignature(signature, for: message)
    } catch {
      // No public key at all.
      return false
    }
  }
}
