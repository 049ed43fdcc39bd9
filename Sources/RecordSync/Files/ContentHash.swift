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
    let content = Array(content)
    bytes = Array(SHA256.hash(data: content))
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The first half in 32 hexadecimal digits: how file names call a content.
  var name: String { prefix(0).hexadecimal + prefix(8).hexadecimal }

  /// Eight bytes from `offset` on, as a number.
  func prefix(_ offset: Int) -> UInt64 {
    bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
