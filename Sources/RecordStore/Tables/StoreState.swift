package import LMDB

/// The state that changes with every transaction: clock, counter, version vector.
///
/// One plain value in the list of databases: a commit writes that page anyway, so the state costs none of its own, and
/// is found by one look-up in a tree that is mostly one page. Until format 3 it was a value of table `meta`.
///
/// ```
/// format u8 · CRC-32C u32 of all after it · distrusted u8 · greatest stamp seen (18)
/// last credible wall time u64 · newest history number u64
/// replicas u32 · each: replica u64, sequence u64, stamp time u64, counter u16, in order of replica
/// ```
package struct StoreState: Hashable, Sendable {
  /// Beside the name of table `history`, whose entry changes with every commit too.
  static let key = [UInt8]("history\0state".utf8)
  /// In table `meta`.
  static let formerKey = [UInt8]("state".utf8)
  private static let format: UInt8 = 1
  private static let fixedByteCount = 6 + Stamp.byteCount + 8 + 8 + 4

  package var clock = HybridClock()
  package var lastNumber: UInt64 = 0
  package var versionVector = VersionVector()

  package init() {}

  package func encoded() -> [UInt8] { [UInt8](byteCount: encodedByteCount) { write(to: &$0) } }

  private var encodedByteCount: Int { Self.fixedByteCount + VersionVector.entryByteCount * versionVector.entries.count }

  /// Writes exactly ``encodedByteCount`` bytes, as the first of the writer.
  private func write(to writer: inout ByteWriter) {
    writer.write(StoreState.format)
    writer.write(0 as UInt32)
    writer.write(clock.isDistrusted ? 1 as UInt8 : 0)
    writer.write(clock.seen)
    writer.write(clock.lastOwnWall)
    writer.write(lastNumber)
    writer.write(UInt32(versionVector.entries.count))
    writer.writeEntries(of: versionVector)
    let written = RawBytes(writer.written)
    writer.patch(written.slice(5..<written.count).checksum, at: 1)
  }

  /// Straight into the page.
  func write(to transaction: borrowing WriteTransaction) throws {
    try StoreState.key.withRawBytes { key throws in
      try transaction.reserve(.main, key: key, count: encodedByteCount) { room in
        var writer = ByteWriter(room)
        write(to: &writer)
      }
    }
  }

  /// The newest history number alone, which every fetch asks for.
  static func lastNumber(in bytes: RawBytes) throws -> UInt64 {
    var reader = ByteReader(bytes, subject: "the state of the store")
    try check(bytes, &reader)
    return bytes.load(at: 6 + Stamp.byteCount + 8, as: UInt64.self)
  }

  private static func check(_ bytes: RawBytes, _ reader: inout ByteReader) throws {
    guard bytes.count >= fixedByteCount, try reader.read(as: UInt8.self) == format else {
      throw reader.damaged("its form is unknown")
    }
    guard try reader.read(as: UInt32.self) == bytes.slice(5..<bytes.count).checksum else {
      throw reader.damaged("its checksum is wrong")
    }
  }

  package init(decoding bytes: RawBytes) throws {
    var reader = ByteReader(bytes, subject: "the state of the store")
    try StoreState.check(bytes, &reader)
    clock.isDistrusted = try reader.read(as: UInt8.self) != 0
    clock.seen = try reader.readStamp()
    clock.lastOwnWall = try reader.read()
    lastNumber = try reader.read()
    let count = Int(try reader.read(as: UInt32.self))
    guard reader.remaining == VersionVector.entryByteCount * count else { throw reader.damaged("its length is wrong") }
    versionVector.entries = Dictionary(minimumCapacity: count)
    for _ in 0..<count {
      let replica = ReplicaID(try reader.read())
      let sequence = try reader.read(as: UInt64.self)
      let stamp = Stamp(time: try reader.read(), counter: try reader.read(), replica: replica)
      versionVector.entries[replica] = VersionVector.Entry(sequence: sequence, stamp: stamp)
    }
  }
}
