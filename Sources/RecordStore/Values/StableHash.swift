import CMessageDigest
package import LMDB

/// Digests that are part of file formats: equal on every device and for ever.
///
/// They are the system library's, not swift-crypto's: for this one function an app would compile hundreds of C files
/// and carry them in its program. The processor's own instructions, which those use and libmd does not, would save
/// 0.3 µs for the short keys that are hashed here. `RecordSync`, which hashes whole files, takes swift-crypto.
package enum StableHash {
  static let byteCount = 32

  /// The first 16 bytes of SHA-256.
  package static func digest128(_ bytes: RawBytes) -> (high: UInt64, low: UInt64) {
    withDigest(of: bytes) { digest in
      (digest.load(at: 0, as: UInt64.self).byteSwapped, digest.load(at: 8, as: UInt64.self).byteSwapped)
    }
  }

  /// The 32 bytes of SHA-256.
  package static func sha256(_ bytes: RawBytes) -> [UInt8] {
    withDigest(of: bytes) { Array($0.buffer) }
  }

  /// Lends the digest, which lies on the stack: the pointer does not outlive the call.
  private static func withDigest<Result>(of bytes: RawBytes, _ body: (RawBytes) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { digest in
      CMessageDigest.sha256(bytes.buffer.baseAddress, bytes.count, digest.baseAddress)
      return body(RawBytes(UnsafeRawBufferPointer(digest)))
    }
  }
}
