import RecordStore

extension LogBook {
  /// Reads the log's entries of the records that a merge names, joins, or decides the life of. One look-up a record,
  /// none if the log is empty.
  init(
    of arrivals: MergeArrivals, settlement: Settlement, nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot
  ) throws {
    self.init(nowMilliseconds: nowMilliseconds)
    guard try !LogBook.isEmpty(in: snapshot) else { return }
    var keys = Set(arrivals.transactions.flatMap { $0.records.map(\.key) }).union(settlement.records.keys)
    for change in settlement.classes {
      keys.formUnion((change.previousRows + [change.row]).map { RecordKey(entity: change.entity, id: $0) })
    }
    for key in keys { try read(key, in: snapshot) }
  }

  /// Whether the store's log says nothing.
  static func isEmpty(in snapshot: borrowing StoreSnapshot) throws -> Bool {
    var isEmpty = true
    try snapshot.forEachAttachment(prefix: SyncAttachment.conflicts) { _, _ in
      isEmpty = false
      return false
    }
    return isEmpty
  }
}
