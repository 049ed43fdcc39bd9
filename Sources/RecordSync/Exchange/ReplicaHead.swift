import RecordStore

/// A replica's word on itself beside its stream: `h/<counter>-<hash>.thd`, the newest two kept.
///
/// Bytes: magic `TNDMHEAD` · format u16 · store id · replica · last own sequence u64 · own clock (stamp) ·
/// applied vector · display name · since format 2: schema id (16 bytes) · oldest sequence of its stream
/// that is kept u64 · snapshots that it holds to be whole: count, names · CRC-32C of all before.
///
/// A head is a report, never an order: nothing is
/// concluded from a missing one.
struct ReplicaHead: Hashable, Sendable {
  static let magic = Array("TNDMHEAD".utf8)
  static let formatVersion: UInt16 = 2
  static let suffix = ".thd"
  static let maximumFileBytes = 4 << 20
  static let schemaIDBytes = 16

  var storeID: RecordID
  var replica: ReplicaID
  var lastSequence: UInt64
  var clock: Stamp
  /// Everything that the replica's store has applied, its own transactions included.
  var applied: VersionVector
  /// How people know the device.
  var displayName: String
  /// The first half of the hash of its schema description; empty in format 1.
  var schemaID: [UInt8] = []
  /// The beginning of its stream: older transactions are in a snapshot.
  var oldestSequence: UInt64 = 1
  /// The names of snapshots of others that it has read and found whole.
  var attested: [String] = []

  /// Whether it says the same as an older one but that more was written and applied.
  func tellsOnlyProgress(since last: ReplicaHead) -> Bool {
    var later = last
    (later.lastSequence, later.clock, later.applied) = (lastSequence, clock, applied)
    return self == later
  }

  func encoded() -> [UInt8] {
    var writer = FileWriter()
    writer.put(raw: ReplicaHead.magic)
    writer.put(schemaID.isEmpty ? 1 : ReplicaHead.formatVersion)
    writer.put(storeID)
    writer.put(replica.value)
    writer.put(lastSequence)
    writer.put(clock)
    writer.put(applied)
    writer.put(displayName)
    if !schemaID.isEmpty {
      writer.put(raw: schemaID)
      writer.put(oldestSequence)
      writer.put(UInt32(attested.count))
      for name in attested.sorted() { writer.put(name) }
    }
    writer.put(CRC32C.checksum(writer.bytes[...]))
    return writer.bytes
  }

  init(_ bytes: [UInt8], subject: String) throws {
    var reader = FileReader(bytes, subject: subject)
    guard try Array(reader.take(8)) == ReplicaHead.magic else {
      throw SyncError(.foreignFile, "\(subject) is not a replica's head")
    }
    let version: UInt16 = try reader.integer()
    guard version <= ReplicaHead.formatVersion else {
      throw SyncError(.newerFormat, "\(subject) was written by a newer version; update the app")
    }
    storeID = try reader.recordID()
    replica = ReplicaID(try reader.integer())
    lastSequence = try reader.sequence()
    clock = try reader.stamp()
    applied = try reader.versionVector()
    displayName = try reader.text(limit: 1024)
    if version > 1 {
      schemaID = Array(try reader.take(ReplicaHead.schemaIDBytes))
      oldestSequence = try reader.sequence()
      let count = Int(try reader.integer(UInt32.self))
      guard count <= reader.remaining / 4 else { throw reader.damage }
      for _ in 0..<count { attested.append(try reader.text(limit: 120)) }
      attested.sort()
    }
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
  /// No replica counts half as far; a file that is named by a greater number is no head.
  static let greatestCounter: UInt64 = (1 << 48) - 1

  var counter: UInt64
  var hash: String

  var text: String { "\(counter.hexadecimal)-\(hash)\(ReplicaHead.suffix)" }

  init(counter: UInt64, content: [UInt8]) {
    self.counter = counter
    hash = ContentHash(of: content).name
  }

  /// Nil for every other name.
  init?(_ name: String) {
    guard let counter = HeadName.counter(of: name), counter <= HeadName.greatestCounter else { return nil }
    self.counter = counter
    hash = String(name.dropLast(ReplicaHead.suffix.count).suffix(32))
  }

  /// Nil for what is not a name of this form.
  static func counter(of name: String) -> UInt64? {
    guard name.hasSuffix(ReplicaHead.suffix) else { return nil }
    let parts = name.dropLast(ReplicaHead.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 32, parts[1].utf8.allSatisfy(\.isLowerHexadecimalDigit) else {
      return nil
    }
    return UInt64(exactHexadecimal: parts[0])
  }

  static func < (left: HeadName, right: HeadName) -> Bool {
    left.counter != right.counter ? left.counter < right.counter : left.hash < right.hash
  }
}
