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

extension CausalContexts {
  /// Reads what this replica itself had seen when it made those of its writes that `settlement` weighs.
  mutating func readOwn(for settlement: Settlement, in snapshot: borrowing StoreSnapshot) throws {
    var winners: Set<Stamp> = []
    for record in settlement.records.values {
      switch record.standing {
      case .dead(let deleted, _): winners.insert(deleted)
      case .alive(let activity):
        winners.formUnion([activity].compactMap { $0 } + record.lostReferences.map(\.winningStamp))
      case .waiting: winners.formUnion([record.forgottenBy].compactMap { $0 })
      }
    }
    for change in settlement.classes { winners.formUnion(change.members.flatMap { $0.registers.map(\.stamp) }) }
    for winner in winners where winner.replica == own {
      note(own: winner, context: try snapshot.historyTransaction(with: winner)?.context)
    }
  }
}
