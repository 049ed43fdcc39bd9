import LMDB

// History, the outbox, attachments.
extension StoreSnapshot {
  /// Transactions with numbers above `number`, oldest first. Throws `historyTokenExpired` when some of them were
  /// trimmed.
  public func history(after number: UInt64, limit: Int? = nil) throws -> [HistoryTransaction] {
    let table = try history(reachingBackTo: number)
    var found: [HistoryTransaction] = []
    guard limit != 0 else { return found }
    try table.forEach(after: number) { number, entry in
      if let transaction = entry.transaction(number: number) { found.append(withValues(transaction)) }
      return limit.map { found.count < $0 } ?? true
    }
    return found
  }

  /// Calls `body` with the changes of all transactions after `number` but those in `others`, oldest first. Throws as
  /// ``history(after:limit:)`` does, before the first change where some were trimmed; costs less, for nothing else of
  /// them is read, and holds one change at a time.
  package func forEachChange(
    after number: UInt64, except others: Set<UInt64> = [], _ body: (HistoryChange) throws -> Void
  ) throws {
    let resolves = catalogue.hasExternalValues
    try history(reachingBackTo: number).forEachEntry(after: number) { number, entry in
      guard !others.contains(number) else { return true }
      try HistoryEntry.forEachChange(of: entry) { try body(resolves ? $0.resolved() : $0) }
      return true
    }
  }

  private func history(reachingBackTo number: UInt64) throws -> HistoryTable {
    let table = HistoryTable(transaction, layout)
    let last = try lastTransactionNumber
    let first = try table.firstNumber() ?? last + 1
    guard number >= last || number + 1 >= first else {
      throw StoreError(
        .historyTokenExpired,
        "the history after transaction \(number) has been trimmed up to \(first - 1): read the "
          + "records anew and go on from transaction \(last)")
    }
    return table
  }

  /// The number of the last transaction before the first that is not as asked; nil if that is the oldest.
  package func lastHistoryNumber(while isMet: (HistoryTransaction) -> Bool) throws -> UInt64? {
    var last: UInt64?
    try HistoryTable(transaction, layout).forEach(after: 0) { number, entry in
      if let transaction = entry.transaction(number: number), !isMet(transaction) { return false }
      last = number
      return true
    }
    return last
  }

  /// The history entry that a stamp names; nil if it was trimmed or never seen here.
  public func historyTransaction(with stamp: Stamp) throws -> HistoryTransaction? {
    try HistoryTable(transaction, layout).transaction(with: stamp).map { withValues($0) }
  }

  /// This replica's own transactions with sequence numbers above `sequence`, oldest first, until `body` returns false.
  package func forEachOutgoing(after sequence: UInt64, _ body: (OutgoingTransaction) throws -> Bool) throws {
    try forEachOutgoing(of: replica, after: sequence, body)
  }

  /// As ``forEachOutgoing(after:_:)``, of a replica id that this store has, or had before it was renewed. Ends at a
  /// transaction that came from elsewhere. `asStored`: with references to large values, which are not looked at.
  package func forEachOutgoing(
    of own: ReplicaID, after sequence: UInt64, asStored: Bool = false,
    _ body: (OutgoingTransaction) throws -> Bool
  ) throws {
    let table = HistoryTable(transaction, layout)
    try table.forEachDot(of: own, after: sequence) { row in
      // A trimmed entry was exported before; see trimHistory.
      guard let bytes = try table.bytes(of: row.number) else { return true }
      // A merge may be as large as what it brought.
      if try HistoryHead(of: bytes)?.isMerge ?? false { return false }
      let outgoing = try HistoryEntry.outgoing(of: bytes)
      guard !outgoing.isEmpty else { return false }
      guard asStored else {
        return try body(OutgoingTransaction(dot: row.dot, stamp: row.stamp, encoded: withValues(outgoing)))
      }
      return try body(
        OutgoingTransaction(
          dot: row.dot, stamp: row.stamp, encoded: outgoing, references: references(of: outgoing)))
    }
  }

  /// Bytes that a higher layer has put beside the records; nil if there are none under this key.
  public func attachment(_ key: [UInt8]) throws -> [UInt8]? {
    try transaction.get(layout.databases.attachments, key: key)?.copied()
  }

  /// Attachments whose keys begin with `prefix`, in key order, until `body` returns false.
  public func forEachAttachment(
    prefix: [UInt8], _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Bool
  ) throws {
    var cursor = try transaction.cursor(layout.databases.attachments)
    var found = try prefix.isEmpty ? cursor.first() : cursor.seek(prefix)
    while let entry = found, entry.key.copied().starts(with: prefix) {
      guard try body(entry.key.copied(), entry.value.copied()) else { return }
      found = try cursor.next()
    }
  }
}
