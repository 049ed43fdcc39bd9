/// Whole age files in memory.
package enum AgeFile {
  package static func encrypt(_ plain: [UInt8], to recipients: [AgeRecipient]) throws -> [UInt8] {
    var encryptor = try AgeEncryptor(to: recipients)
    var output: [UInt8] = []
    output.reserveCapacity(plain.count + plain.count / 2048 + 512)
    try encryptor.update(plain[...], into: &output)
    try encryptor.finish(into: &output)
    return output
  }

  /// Throws ``AgeError``; nothing is given out then.
  package static func decrypt(_ bytes: [UInt8], with identities: [AgeIdentity]) throws -> [UInt8] {
    var decryptor = AgeDecryptor(identities)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    try decryptor.update(bytes[...], into: &output)
    try decryptor.finish(into: &output)
    return output
  }

  /// How long a file for one X25519 recipient is, by its content's length.
  package static func byteCount(ofContent count: Int) -> Int {
    let chunks = max(1, (count + PayloadChunks.plainBytes - 1) / PayloadChunks.plainBytes)
    return startBytes + count + chunks * PayloadChunks.tagBytes
  }

  /// The opposite of ``byteCount(ofContent:)``; nil where no such file is so long.
  package static func contentByteCount(ofFile count: Int) -> Int? {
    let payload = count - startBytes
    guard payload >= PayloadChunks.tagBytes else { return nil }
    let chunks = (payload + PayloadChunks.sealedBytes - 1) / PayloadChunks.sealedBytes
    let content = payload - chunks * PayloadChunks.tagBytes
    return content >= 0 && byteCount(ofContent: content) == count ? content : nil
  }

  /// Format (22), stanza (10 + 43 + 1 + 43 + 1), code (4 + 43 + 1), nonce (16).
  private static let startBytes = 184
}
