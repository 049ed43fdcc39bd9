import RecordStore

/// What a replica says of itself beside its stream: `h/<counter>-<hash>.thd`, the newest two kept.
///
/// Bytes: magic `TNDMHEAD` · format u16 · store id · replica · last own sequence u64 · own clock (stamp) ·
/// applied vector · display name · CRC-32C of all before. A head is a report, never an order: nothing is
/// concluded from a missing one.
struct ReplicaHead: Hashable, Sendable {
  static let magic = Array("TNDMHEAD".utf8)
  static let formatVersion: UInt16 = 1
  static let suffix = ".thd"
  static let maximumFileBytes = 4 << 20

  var storeID: RecordID
  var replica: ReplicaID
  var lastSequence: UInt64
  var clock: Stamp
  /// Everything that the replica's store has applied, its own transactions included.
  var applied: VersionVector
  /// How people know the device.
  var displayName: String

  func encoded() -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: ReplicaHead.magic)
    writer.put(ReplicaHead.formatVersion)
    writer.put(storeID)
    writer.put(replica.value)
    writer.put(lastSequence)
    writer.put(clock)
    writer.put(applied)
    writer.put(displayName)
    writer.put(CRC32C.checksum(writer.bytes[...]))
    return writer.bytes
  }

  init(_ bytes: [UInt8], subject: String) throws {
    var reader = FileReader(bytes, subject: subject)
    guard try Array(reader.take(8)) == ReplicaHead.magic else {
      throw SyncError(.foreignFile, "\(subject) is not a replica's head")
    }
    guard bytes.count > 12, try reader.integer(UInt16.self) <= ReplicaHead.formatVersion else {
      throw SyncError(.newerFormat, "\(subject) was written by a newer version; update the app")
    }
    storeID = try reader.recordID()
    replica = ReplicaID(try reader.integer())
    lastSequence = try reader.integer()
    clock = try reader.stamp()
    applied = try reader.versionVector()
    displayName = try reader.text(limit: 1024)
    let checksum: UInt32 = try reader.integer()
    try reader.end()
    guard checksum == CRC32C.checksum(bytes.dropLast(4)) else { throw reader.damage }
  }

  init(
    storeID: RecordID, replica: ReplicaID, lastSequence: UInt64, clock: Stamp, applied: VersionVector,
    displayName: String
  ) {
    self.storeID = storeID
    self.replica = replica
    self.lastSequence = lastSequence
    self.clock = clock
    self.applied = applied
    self.displayName = displayName
  }
}

/// `<counter>-<hash>.thd`.
struct HeadName: Hashable, Comparable, Sendable {
  var counter: UInt64
  var hash: String

  var text: String { "\(counter.hexadecimal)-\(hash)\(ReplicaHead.suffix)" }

  init(counter: UInt64, content: [UInt8]) {
    self.counter = counter
    hash = ContentHash(of: content).name
  }

  init?(_ name: String) {
    guard name.hasSuffix(ReplicaHead.suffix) else { return nil }
    let parts = name.dropLast(ReplicaHead.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let counter = UInt64(exactHexadecimal: parts[0]), parts[1].utf8.count == 32,
      parts[1].utf8.allSatisfy(\.isLowerHexadecimalDigit)
    else { return nil }
    self.counter = counter
    hash = String(parts[1])
  }

  static func < (left: HeadName, right: HeadName) -> Bool {
    left.counter != right.counter ? left.counter < right.counter : left.hash < right.hash
  }
}
