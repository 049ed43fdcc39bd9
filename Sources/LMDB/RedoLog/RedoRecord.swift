import CChecksum

/// One commit as the redo log holds it: from which snapshot of the data file the log goes on, and what was written.
///
/// ```
/// offset  size
///      0  4    magic "TRDO"
///      4  4    CRC-32C of all after it
///      8  2    format version: 1
///     10  2    zero
///     12  4    bytes of the changes
///     16  8    generation: random, the same in all records since a checkpoint
///     24  8    transaction id
///     32  4    CRC-32C of the page that lists the databases at the checkpoint
///     36  136  the data file's meta page of the checkpoint, as LMDB wrote it
///    172       changes, see ``RedoChanges``
/// ```
/// Numbers are little-endian.
struct RedoRecord {
  static let headerBytes = 172
  private static let magic: UInt32 = 0x4f44_5254
  private static let version: UInt16 = 1

  var generation: UInt64
  var transactionID: UInt64
  /// The last commit before the log that is on the device as a whole.
  var checkpoint: RedoCheckpoint
  var changes: [UInt8]

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerBytes + changes.count)
    bytes.append(littleEndian: Self.magic)
    bytes.append(littleEndian: UInt32(0))
    bytes.append(littleEndian: Self.version)
    bytes.append(littleEndian: UInt16(0))
    bytes.append(littleEndian: UInt32(changes.count))
    bytes.append(littleEndian: generation)
    bytes.append(littleEndian: transactionID)
    bytes.append(littleEndian: checkpoint.rootChecksum)
    bytes += checkpoint.meta.bytes
    bytes += changes
    let checksum = Self.checksum(bytes)
    for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
    return bytes
  }

  /// Nil for anything else than the whole record that begins with a header.
  init?(_ bytes: [UInt8], _ header: Header) {
    guard bytes.count == header.byteCount,
      Self.checksum(bytes) == header.checksum
    else { return nil }
    generation = header.generation
    transactionID = header.transactionID
    checkpoint = header.checkpoint
    changes = Array(bytes[Self.headerBytes...])
  }

  init(generation: UInt64, transactionID: UInt64, checkpoint: RedoCheckpoint, changes: [UInt8]) {
    self.generation = generation
    self.transactionID = transactionID
    self.checkpoint = checkpoint
    self.changes = changes
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withRawBytes { tandem_crc32c(0, $0.start + 8, $0.count - 8) }
  }

  /// What is known of a record before the rest of it is read, and before its checksum is.
  struct Header {
    var checksum: UInt32
    var byteCount: Int
    var generation: UInt64
    var transactionID: UInt64
    var checkpoint: RedoCheckpoint

    /// Nil for bytes that are no header. Only where one must be, at the beginning of the log, is one of another format
    /// that of a later build: further on it may be what an earlier record left, a part of a value.
    init?(_ bytes: [UInt8], isFirst: Bool) throws {
      guard bytes.count >= RedoRecord.headerBytes else { return nil }
      let (magic, version) = bytes.withRawBytes { ($0.load(at: 0, as: UInt32.self), $0.load(at: 8, as: UInt16.self)) }
      guard magic == RedoRecord.magic else { return nil }
      if version > RedoRecord.version, isFirst {
        throw LMDBError(
          .laterLog, operation: "read the redo log",
          detail: "it was written by a later build (format \(version)); use that one")
      }
      guard version == RedoRecord.version else { return nil }
      guard let meta = DataFileMeta(Array(bytes[36..<RedoRecord.headerBytes])) else { return nil }
      checkpoint = RedoCheckpoint(meta: meta, rootChecksum: bytes.withRawBytes { $0.load(at: 32, as: UInt32.self) })
      (checksum, byteCount, generation, transactionID) = bytes.withRawBytes {
        (
          $0.load(at: 4, as: UInt32.self), RedoRecord.headerBytes + Int($0.load(at: 12, as: UInt32.self)),
          $0.load(at: 16, as: UInt64.self), $0.load(at: 24, as: UInt64.self)
        )
      }
    }
  }
}

extension [UInt8] {
  mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
