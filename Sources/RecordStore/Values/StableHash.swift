import Crypto
package import LMDB

/// Digests that are part of file formats: equal on every device and for ever.
package enum StableHash {
  /// The first 16 bytes of SHA-256.
  package static func digest128(_ bytes: RawBytes) -> (high: UInt64, low: UInt64) {
    var hash = SHA256()
    hash.update(bufferPointer: bytes.buffer)
    return hash.finalize().withUnsafeBytes { digest in
      let raw = RawBytes(digest)
      return (raw.load(at: 0, as: UInt64.self).byteSwapped, raw.load(at: 8, as: UInt64.self).byteSwapped)
    }
  }

  /// The 32 bytes of SHA-256.
  package static func sha256(_ bytes: RawBytes) -> [UInt8] {
    var hash = SHA256()
    hash.update(bufferPointer: bytes.buffer)
    return Array(hash.finalize())
  }
}
