import RecordStore

extension LogBook {
  /// Reads the log's entries of the records that a merge names, joins, or decides the life of. One look-up a record,
  /// none if the log is empty.
  init(
    of arrivals: MergeArrivals, settlement: Settlement, nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot
  ) throws {
    self.init(nowMilliseconds: nowMilliseconds)
    var isAnyLogged = false
    try snapshot.forEachAttachment(prefix: SyncAttachment.conflicts) { _, _ in
      isAnyLogged = true
      return false
    }
    guard isAnyLogged else { return }
    var keys = Set(arrivals.transactions.flatMap { $0.records.map(\.key) }).union(settlement.records.keys)
    for change in settlement.classes {
      keys.formUnion((change.previousRows + [change.row]).map { RecordKey(entity: change.entity, id: $0) })
    }
    for key in keys {
      var entries: [Conflict] = []
      try snapshot.forEachAttachment(prefix: Conflict.prefix(entity: key.entity, record: key.id)) { bytes, value in
        entries.append(try Conflict(key: bytes, value: value))
        return true
      }
      read(entries)
    }
  }
}
