package import LMDB

/// The word of a commit to other processes: that something happened, and how far the store has come.
///
/// Always a hint. It may come early, late, doubled or not at all; its receiver takes a snapshot and reads
/// the history from there.
///
/// Layout of the 40 bytes, little-endian: 0 magic `TANDEMCN`, 8 layout version (1), 16 counter of notices, 24 id of
/// the last LMDB transaction, 32 checksum (FNV-1a, 64 bits) of the 32 bytes before it.
package struct ChangeNotice: Sendable, Hashable {
  package static let byteCount = 40
  private static let checkedByteCount = 32
  /// `TANDEMCN`, as it is read and written: as a number.
  private static let magic: UInt64 = Array("TANDEMCN".utf8).withRawBytes { $0.load(at: 0, as: UInt64.self) }
  private static let layoutVersion: UInt64 = 1

  package var counter: UInt64
  package var transactionID: UInt64

  package init(counter: UInt64, transactionID: UInt64) {
    self.counter = counter
    self.transactionID = transactionID
  }

  /// Nil for anything but a whole notice of this layout, such as one that was read while it was written.
  package init?(decoding bytes: RawBytes) {
    guard bytes.count == Self.byteCount, bytes.load(at: 0, as: UInt64.self) == Self.magic,
      bytes.load(at: 8, as: UInt64.self) == Self.layoutVersion,
      bytes.load(at: 32, as: UInt64.self) == Self.checksum(bytes.slice(0..<Self.checkedByteCount))
    else { return nil }
    counter = bytes.load(at: 16, as: UInt64.self)
    transactionID = bytes.load(at: 24, as: UInt64.self)
  }

  /// Writes exactly ``byteCount`` bytes, as the first of the writer.
  package func write(to writer: inout ByteWriter) {
    writer.write(Self.magic)
    writer.write(Self.layoutVersion)
    writer.write(counter)
    writer.write(transactionID)
    writer.write(Self.checksum(RawBytes(writer.written)))
  }

  private static func checksum(_ bytes: RawBytes) -> UInt64 {
    bytes.buffer.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
