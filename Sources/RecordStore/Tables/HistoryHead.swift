import LMDB

/// The head of a history entry of format 3: everything that the store had seen with it.
///
/// It has a checksum of its own, so that a search reads it without the rest of the entry, which may be as large as a
/// save. What the store has seen only grows, so entries are in the order of it: the one that brought a transaction is
/// found by halving, and there need be no table of transactions' names beside history.
///
/// ```
/// CRC-32C u32 of the following · replicas u32 · each, rising: replica u64, sequence u64, stamp time u64, counter u16
/// ```
///
/// Valid as long as the bytes that it was made of.
struct HistoryHead {
  static let format: UInt8 = 3
  private static let fixedByteCount = 8
  private static let subject = "a history entry"

  /// Whether the entry is that of a merge, which has nothing for other devices.
  let isMerge: Bool
  private let entry: RawBytes
  /// The elements of the list.
  private let replicas: RawBytes

  /// Nil for an entry of an earlier format. Throws `damaged`, of what it reads.
  init?(of entry: RawBytes) throws {
    guard entry.count > HistoryEntry.bodyOffset, entry.load(at: 0, as: UInt8.self) == Self.format else { return nil }
    var reader = ByteReader(entry, subject: Self.subject)
    _ = try reader.read(count: HistoryEntry.bodyOffset)
    replicas = try Self.readReplicas(from: &reader)
    isMerge = entry.load(at: 1, as: UInt8.self) & HistoryEntry.mergeFlag != 0
    self.entry = entry
  }

  private static func readReplicas(from reader: inout ByteReader) throws -> RawBytes {
    let stored = try reader.read(as: UInt32.self)
    let start = reader.offset
    let count = Int(try reader.read(as: UInt32.self))
    let replicas = try reader.read(count: count * VersionVector.entryByteCount)
    guard reader.bytes.slice(start..<reader.offset).checksum == stored else {
      throw reader.damaged("the checksum of what it had seen is wrong")
    }
    return replicas
  }

  /// The entry of one replica that had been seen; nil if none.
  func seen(of replica: ReplicaID) -> VersionVector.Entry? {
    for place in stride(from: 0, to: replicas.count, by: VersionVector.entryByteCount)
    where replicas.load(at: place, as: UInt64.self) == replica.value {
      return Self.element(of: replicas, at: place)
    }
    return nil
  }

  private static func element(of replicas: RawBytes, at place: Int) -> VersionVector.Entry {
    let replica = ReplicaID(replicas.load(at: place, as: UInt64.self))
    let stamp = Stamp(
      time: replicas.load(at: place + 16, as: UInt64.self), counter: replicas.load(at: place + 24, as: UInt16.self),
      replica: replica)
    return VersionVector.Entry(sequence: replicas.load(at: place + 8, as: UInt64.self), stamp: stamp)
  }

  /// Lends the names of the entry's transactions in their order until `body` returns false. They lie behind the head,
  /// and before the changes.
  func forEachTransaction(_ body: (Dot, Stamp) throws -> Bool) throws {
    var reader = ByteReader(entry, subject: Self.subject)
    _ = try reader.read(count: HistoryEntry.bodyOffset + Self.fixedByteCount + replicas.count)
    try reader.skipProcess()
    for _ in 0..<(try reader.readCount(minimumSize: 20)) {
      let (dot, stamp) = try reader.skipTransaction()
      guard try body(dot, stamp) else { return }
    }
  }
}

// As part of an entry.
extension HistoryHead {
  static func byteCount(of seen: VersionVector) -> Int {
    fixedByteCount + VersionVector.entryByteCount * seen.entries.count
  }

  static func write(_ seen: VersionVector, to writer: inout ByteWriter) {
    let start = writer.offset
    writer.write(0 as UInt32)
    writer.write(UInt32(seen.entries.count))
    writer.writeEntries(of: seen)
    let written = RawBytes(writer.written)
    writer.patch(written.slice(start + 4..<written.count).checksum, at: start)
  }

  static func skip(in reader: inout ByteReader) throws { _ = try readReplicas(from: &reader) }

  static func read(from reader: inout ByteReader) throws -> VersionVector {
    let replicas = try readReplicas(from: &reader)
    var seen = VersionVector()
    seen.entries.reserveCapacity(replicas.count / VersionVector.entryByteCount)
    for place in stride(from: 0, to: replicas.count, by: VersionVector.entryByteCount) {
      let entry = element(of: replicas, at: place)
      seen.entries[entry.stamp.replica] = entry
    }
    return seen
  }
}

extension ByteReader {
  /// Skips all between the head of an entry and its changes.
  mutating func skipTransactions() throws {
    try skipProcess()
    for _ in 0..<(try readCount(minimumSize: 20)) { _ = try skipTransaction() }
  }

  /// Skips the time and the process of an entry.
  fileprivate mutating func skipProcess() throws {
    _ = try read(count: 12)
    try skipText()
  }

  private mutating func skipText() throws {
    let count = try readCount()
    _ = try read(count: count)
  }

  fileprivate mutating func skipTransaction() throws -> (Dot, Stamp) {
    let replica = ReplicaID(try read())
    let dot = Dot(replica: replica, sequence: try readVariable())
    let stamp = Stamp(time: try read(), counter: try read(), replica: replica)
    let flags = try read(as: UInt8.self)
    if flags & HistoryEntry.authorFlag != 0 { try skipText() }
    if flags & HistoryEntry.onceFlag != 0 { try skipText() }
    if flags & HistoryEntry.derivedContextFlag == 0 { try skipVersionVector() }
    return (dot, stamp)
  }

  private mutating func skipVersionVector() throws {
    for _ in 0..<(try readCount(minimumSize: 19)) {
      _ = try read(count: 8)
      _ = try readVariable()
      _ = try read(count: 10)
    }
  }
}
