import CChecksum

/// A mark in the log that a flush of the data file failed while commits were in the log alone.
///
/// The system says so once, to some of those who have the file open, and what it could not write counts as written from
/// then on. So a later flush, or another process's, says nothing of it: nobody may erase the log, or make it void by a
/// commit, until somebody who is alone has done its commits again. Those who have the environment open read the mark
/// before they write; after a power cut or the system's end nobody has, so the mark waits for no device.
///
/// ```
/// offset  size
///      0  4    magic "TRDF"
///      4  4    CRC-32C of all after it
///      8  2    format version: 1
///     10  6    zero
///     16  8    generation: of the records that must not go
/// ```
/// Numbers are little-endian.
struct RedoFailure {
  static let byteCount = 24
  private static let magic: UInt32 = 0x4644_5254
  private static let version: UInt16 = 1

  let generation: UInt64

  init(generation: UInt64) { self.generation = generation }

  /// Nil for anything else. The version is not asked: whatever a later build adds, the log must not go.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    let (magic, checksum, generation) = bytes.withRawBytes {
      ($0.load(at: 0, as: UInt32.self), $0.load(at: 4, as: UInt32.self), $0.load(at: 16, as: UInt64.self))
    }
    guard magic == Self.magic, checksum == Self.checksum(bytes) else { return nil }
    self.generation = generation
  }

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: Self.version)
    bytes += repeatElement(0, count: 6)
    bytes.append(littleEndian: generation)
    var whole: [UInt8] = []
    whole.append(littleEndian: Self.magic)
    whole.append(littleEndian: bytes.withRawBytes { tandem_crc32c(0, $0.start, $0.count) })
    return whole + bytes
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withRawBytes { tandem_crc32c(0, $0.start + 8, $0.count - 8) }
  }
}
