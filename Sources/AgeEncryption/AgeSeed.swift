import Crypto

/// Bytes in the place of those that age draws by lot for a file.
///
/// They must be secret, and stand for one content alone. Of two contents under one seed somebody that sees both files
/// learns where they differ, and by how much.
package struct AgeSeed: Sendable {
  package static let byteCount = 16 + 32 + 16
  let fileKey: [UInt8]
  let ephemeral: Curve25519.KeyAgreement.PrivateKey
  let nonce: [UInt8]

  /// `bytes`: ``byteCount`` of them, such as a key derivation gives.
  package init(_ bytes: [UInt8]) throws {
    precondition(bytes.count == AgeSeed.byteCount, "a seed has \(AgeSeed.byteCount) bytes")
    fileKey = Array(bytes.prefix(16))
    ephemeral = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes[16..<48])
    nonce = Array(bytes.suffix(16))
  }
}
