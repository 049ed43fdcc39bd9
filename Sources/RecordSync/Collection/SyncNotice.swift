import RecordStore

/// A transaction's message to other devices besides its records: the bytes of its notice.
///
/// Version u8 (1), then parts: kind u8 · length u32 · bytes. Kind 1, a collection: cut (version vector) · count u32 ·
/// each record: entity u32 in the author's numbering, id. Kind 2, retired replicas: count u32 · each: replica u64.
/// Unknown kinds are passed over.
struct SyncNotice: Hashable, Sendable {
  struct Part: Hashable, Sendable {
    var cut: VersionVector
    var records: [Forgetting.Record]
  }

  private static let version: UInt8 = 1
  private static let collectionKind: UInt8 = 1
  private static let retirementKind: UInt8 = 2

  var collection: Part?
  var retired: [ReplicaID] = []

  var encoded: [UInt8] {
    var writer = FileWriter()
    writer.put(SyncNotice.version)
    if let collection {
      var part = FileWriter(reserving: collection.records.count * 20 + 64)
      part.put(collection.cut)
      part.put(collection.records)
      writer.put(SyncNotice.collectionKind)
      writer.put(counted: part.bytes)
    }
    if !retired.isEmpty {
      var part = FileWriter()
      part.put(UInt32(retired.count))
      for replica in retired.sorted() { part.put(replica.value) }
      writer.put(SyncNotice.retirementKind)
      writer.put(counted: part.bytes)
    }
    return writer.bytes
  }

  init(collection: Part? = nil, retired: [ReplicaID] = []) {
    self.collection = collection
    self.retired = retired
  }

  /// Throws `damagedFile` or `newerFormat`.
  init(_ bytes: [UInt8]) throws {
    var reader = FileReader(bytes, subject: "a notice")
    guard try reader.integer(UInt8.self) == SyncNotice.version else {
      throw SyncError(.newerFormat, "a notice of another device was written by a newer version; update the app")
    }
    while reader.remaining > 0 {
      let kind = try reader.integer(UInt8.self)
      var part = FileReader(try reader.counted(limit: reader.remaining), subject: "a notice")
      if kind == SyncNotice.collectionKind {
        collection = Part(cut: try part.versionVector(), records: try part.forgottenRecords())
        try part.end()
      } else if kind == SyncNotice.retirementKind {
        let count = Int(try part.integer(UInt32.self))
        guard count == part.remaining / 8 else { throw part.damage }
        for _ in 0..<count { retired.append(ReplicaID(try part.integer())) }
        try part.end()
      }
    }
  }
}

extension FileWriter {
  mutating func put(_ records: [Forgetting.Record]) {
    put(UInt32(records.count))
    for record in records {
      put(UInt32(record.entity))
      put(record.id)
    }
  }
}

extension FileReader {
  mutating func forgottenRecords() throws -> [Forgetting.Record] {
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / 20 else { throw damage }
    var records: [Forgetting.Record] = []
    records.reserveCapacity(count)
    for _ in 0..<count {
      records.append(Forgetting.Record(entity: EntityNumber(try integer(UInt32.self)), id: try recordID()))
    }
    return records
  }
}
