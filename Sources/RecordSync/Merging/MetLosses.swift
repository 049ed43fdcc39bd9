import RecordStore

/// The losses of records at which no rule looked. Nothing but its own writes decides of such a record, so they are
/// compared one by one, each while it is near.
struct MetLosses {
  /// The contexts of the writes that were compared are read meanwhile.
  private(set) var contexts: CausalContexts
  /// The attachments that let the store's log say the same.
  private(set) var changes: [StoreAttachment] = []
  private(set) var newCount = 0
  private let nowMilliseconds: UInt64
  private let isLogEmpty: Bool
  /// The replica whose contexts were asked for last.
  private var last: ReplicaID?

  init(_ contexts: CausalContexts, nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot) throws {
    self.contexts = contexts
    self.nowMilliseconds = nowMilliseconds
    isLogEmpty = try LogBook.isEmpty(in: snapshot)
  }

  mutating func compare(_ record: MetRecord, in snapshot: borrowing StoreSnapshot) throws {
    let key = record.before.key
    var losses = isLogEmpty ? RecordLosses() : try RecordLosses(of: key, in: snapshot)
    try readContexts(of: record, losses, in: snapshot)
    let comparison = ValueComparison(
      contexts: contexts, settlement: Settlement(), nowMilliseconds: nowMilliseconds)
    var known = record.before
    for (index, arrival) in record.arrivals.enumerated() {
      comparison.compare(arrival.facts, with: known, &losses.units)
      if index + 1 < record.arrivals.count { known.join(arrival.facts) }
    }
    newCount += losses.addChanges(of: key, to: &changes)
  }

  private mutating func readContexts(
    of record: MetRecord, _ losses: RecordLosses, in snapshot: borrowing StoreSnapshot
  ) throws {
    for register in record.before.registers { try readContexts(of: register.stamp, in: snapshot) }
    for arrival in record.arrivals {
      for register in arrival.facts.registers { try readContexts(of: register.stamp, in: snapshot) }
    }
    guard !losses.units.isEmpty else { return }
    try contexts.readOwn(of: record.before, in: snapshot)
    for unit in losses.units {
      try readContexts(of: unit.lost, in: snapshot)
      try readContexts(of: unit.winning, in: snapshot)
    }
  }

  private mutating func readContexts(of stamp: Stamp, in snapshot: borrowing StoreSnapshot) throws {
    guard stamp.replica != last else { return }
    try contexts.read(of: stamp.replica, in: snapshot)
    last = stamp.replica
  }
}
