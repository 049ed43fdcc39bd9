/// The word of a commit to other processes: that something happened, and how far the store has come.
///
/// Always a hint. It may come early, late, doubled or not at all; its receiver takes a snapshot and reads
/// the history from there.
///
/// Layout of the 40 bytes, little-endian: 0 magic `TANDEMCN`, 8 layout version (1), 16 counter of notices, 24 id of
/// the last LMDB transaction, 32 checksum (FNV-1a, 64 bits) of the 32 bytes before it.
package struct ChangeNotice: Sendable, Hashable {
  package static let byteCount = 40
  private static let magic = Array("TANDEMCN".utf8)
  private static let layoutVersion: UInt64 = 1

  package var counter: UInt64
  package var transactionID: UInt64

  package init(counter: UInt64, transactionID: UInt64) {
    self.counter = counter
    self.transactionID = transactionID
  }

  /// Nil for anything but a whole notice of this layout, such as one that was read while it was written.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, Array(bytes[0..<8]) == Self.magic,
      Self.integer(bytes, at: 8) == Self.layoutVersion, Self.integer(bytes, at: 32) == Self.checksum(bytes[0..<32])
    else { return nil }
    counter = Self.integer(bytes, at: 16)
    transactionID = Self.integer(bytes, at: 24)
  }

  package var bytes: [UInt8] {
    var bytes = Self.magic
    for value in [Self.layoutVersion, counter, transactionID] { Self.append(value, to: &bytes) }
    Self.append(Self.checksum(bytes[...]), to: &bytes)
    return bytes
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
  }

  private static func integer(_ bytes: [UInt8], at offset: Int) -> UInt64 {
    (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
