import RecordStore

/// What stays of a collection that was carried out: eight bytes for each record, and the cut.
///
/// A device that wrote without knowing the cut may still send facts about these records. They are void: what they
/// changed is not there any more, and that device says the record again, whole, if it lives.
struct ForgottenRecords: Hashable, Sendable {
  var cut: VersionVector
  private var names: Set<UInt64>

  init(_ collection: TombstoneCollection) {
    cut = collection.cut
    names = Set(collection.records.map { ForgottenRecords.name($0.id) })
  }

  func contains(_ id: RecordID) -> Bool { names.contains(ForgottenRecords.name(id)) }

  /// Ids are random in their low half, or digests.
  private static func name(_ id: RecordID) -> UInt64 { id.low ^ (id.high &* 0x9E37_79B9_7F4A_7C15) }

  func attachment(named stamp: Stamp) -> StoreAttachment {
    var key = FileWriter()
    key.put(raw: SyncAttachment.forgotten)
    key.put(stamp)
    var value = FileWriter(reserving: names.count * 8 + 64)
    value.put(cut)
    for name in names.sorted() { value.put(name) }
    return StoreAttachment(key: key.bytes, value: value.bytes)
  }

  init(_ value: [UInt8]) throws {
    var reader = FileReader(value, subject: "the list of forgotten records")
    cut = try reader.versionVector()
    guard reader.remaining.isMultiple(of: 8) else { throw reader.damage }
    names = []
    names.reserveCapacity(reader.remaining / 8)
    while reader.remaining > 0 { names.insert(try reader.integer()) }
  }
}

extension CollectionState {
  /// Leaves out what a late transaction says of records that were forgotten here. `transactions` are new to the store.
  func leavingOutVoid(
    _ transactions: [TransactionFacts], in snapshot: borrowing StoreSnapshot
  ) throws -> [TransactionFacts] {
    let forks = try snapshot.forkedStreams(with: transactions)
    guard hasVoid(in: transactions, forks) else { return transactions }
    var kept = transactions
    try snapshot.forEachAttachment(prefix: SyncAttachment.forgotten) { _, value in
      let forgotten = try ForgottenRecords(value)
      for index in kept.indices where CollectionState.isLate(kept[index], to: forgotten.cut, forks) {
        kept[index].records.removeAll { forgotten.contains($0.id) }
      }
      return true
    }
    return kept
  }

  /// Whether transactions may say something of what was forgotten here.
  func hasVoid(in transactions: [TransactionFacts], _ forks: ForkedStreams) -> Bool {
    transactions.contains { CollectionState.isLate($0, to: collected, forks) }
  }

  private static func isLate(
    _ transaction: TransactionFacts, to cut: VersionVector, _ forks: ForkedStreams
  ) -> Bool {
    TombstoneCollection.isLate(transaction.dot, transaction.stamp, context: transaction.context, to: cut, forks)
  }
}
