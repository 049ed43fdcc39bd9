import Crypto
import RecordStore

#if !Sync
  #error("RecordSync is not there: enable the trait Sync of the package tandem, or give no list of traits.")
#endif

/// The SHA-256 of a file's bytes.
struct ContentHash: Hashable, Sendable {
  static let byteCount = 32
  /// The hash in the place of "the file before" in the first file of a stream.
  static let none = ContentHash(bytes: [UInt8](repeating: 0, count: byteCount))

  let bytes: [UInt8]

  init(of content: some Sequence<UInt8>) {
    bytes = Array(SHA256.hash(data: Array(content)))
  }

  /// Copies nothing.
  init(of content: ArraySlice<UInt8>) { bytes = Array(SHA256.hash(data: content)) }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Appends the SHA-256 of what `content` is so far, and then `end`. Costs one pass.
  ///
  /// - Returns: The SHA-256 of the whole.
  static func append(to content: inout [UInt8], end: [UInt8]) -> ContentHash {
    var hash = SHA256()
    hash.update(data: content)
    let trailer = Array(hash.finalize()) + end
    hash.update(data: trailer)
    content += trailer
    return ContentHash(bytes: Array(hash.finalize()))
  }

  /// The first half in 32 hexadecimal digits: how file names call a content.
  var name: String { prefix(0).hexadecimal + prefix(8).hexadecimal }

  /// Eight bytes from `offset` on, as a number.
  func prefix(_ offset: Int) -> UInt64 {
    bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
