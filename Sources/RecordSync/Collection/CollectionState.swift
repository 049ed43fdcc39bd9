import RecordStore

/// A store's memory of collections and retired replicas, in its own commits.
struct CollectionState: Hashable, Sendable {
  /// The joined cuts of all collections that were carried out here: an author that knows all of it is never late.
  var collected = VersionVector()
  /// Collections that wait until everything that they cover has arrived.
  var pending: [TombstoneCollection] = []
  /// Replicas of which a person said that they are gone.
  var retired: Set<ReplicaID> = []

  init(_ snapshot: borrowing StoreSnapshot) throws {
    if let value = try snapshot.attachment(SyncAttachment.collected) {
      var reader = FileReader(value, subject: "the collected cut")
      collected = try reader.versionVector()
    }
    var pending: [TombstoneCollection] = []
    try snapshot.forEachAttachment(prefix: SyncAttachment.pending) { key, value in
      pending.append(try TombstoneCollection(key: key, value: value))
      return true
    }
    self.pending = pending
    var retired: Set<ReplicaID> = []
    try snapshot.forEachAttachment(prefix: SyncAttachment.retired) { key, _ in
      var reader = FileReader(key.dropFirst(SyncAttachment.retired.count), subject: "a retired replica")
      retired.insert(ReplicaID(try reader.integer()))
      return true
    }
    self.retired = retired
  }

  static func retired(_ replica: ReplicaID) -> StoreAttachment {
    var writer = FileWriter()
    writer.put(raw: SyncAttachment.retired)
    writer.put(replica.value)
    return StoreAttachment(key: writer.bytes, value: [1])
  }

  static func collected(_ cut: VersionVector) -> StoreAttachment {
    var writer = FileWriter()
    writer.put(cut)
    return StoreAttachment(key: SyncAttachment.collected, value: writer.bytes)
  }

  /// Notes that a collection was carried out.
  func attachments(after collection: TombstoneCollection) -> [StoreAttachment] {
    var joined = collected
    joined.join(collection.cut)
    return [
      CollectionState.collected(joined),
      ForgottenRecords(collection.records.map(\.id), cut: collection.cut).attachment(named: collection.stamp),
      collection.removal,
    ]
  }
}

// The words of late transactions about forgotten records.
extension CollectionState {
  /// A delete in a late transaction, in the numbers of the author's catalogue.
  struct VoidDelete: Hashable, Sendable {
    var record: RecordKey
    var stamp: Stamp
  }

  /// Leaves out what a late transaction says of records that were forgotten here. `transactions` are new to the store.
  func leavingOutVoid(
    _ transactions: [EncodedTransaction], _ forks: ForkedStreams, in snapshot: borrowing StoreSnapshot
  ) throws -> (kept: [EncodedTransaction], deletes: [VoidDelete]) {
    guard transactions.contains(where: { CollectionState.isLate($0.head, to: collected, forks) }) else {
      return (transactions, [])
    }
    var kept = transactions
    var deletes: [VoidDelete] = []
    try snapshot.forEachAttachment(prefix: SyncAttachment.forgotten) { _, value in
      let forgotten = try ForgottenRecords(value)
      for index in kept.indices where CollectionState.isLate(kept[index].head, to: forgotten.cut, forks) {
        let stamp = kept[index].head.stamp
        deletes += try kept[index].removeRecords { forgotten.contains($0) }.map { VoidDelete(record: $0, stamp: stamp) }
      }
      return true
    }
    return (kept, deletes)
  }

  private static func isLate(
    _ transaction: TransactionFacts, to cut: VersionVector, _ forks: ForkedStreams
  ) -> Bool {
    TombstoneCollection.isLate(transaction.dot, transaction.stamp, context: transaction.context, to: cut, forks)
  }
}

// A collection that waits.
extension TombstoneCollection {
  init(key: [UInt8], value: [UInt8]) throws {
    var reader = FileReader(key.dropFirst(SyncAttachment.pending.count), subject: "a collection that waits")
    stamp = try reader.stamp()
    reader = FileReader(value, subject: "a collection that waits")
    covered = try reader.versionVector()
    cut = try reader.versionVector()
    records = try reader.forgottenRecords()
  }

  private var key: [UInt8] {
    var writer = FileWriter()
    writer.put(raw: SyncAttachment.pending)
    writer.put(stamp)
    return writer.bytes
  }

  var attachment: StoreAttachment {
    var writer = FileWriter()
    writer.put(covered)
    writer.put(cut)
    writer.put(records)
    return StoreAttachment(key: key, value: writer.bytes)
  }

  var removal: StoreAttachment { StoreAttachment(key: key, value: nil) }
}
