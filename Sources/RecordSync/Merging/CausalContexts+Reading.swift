import RecordStore

// A family of hundreds has as many contexts as pairs of its replicas, and most merges ask for few of them. So they are
// read by the replica that wrote, when something is to be judged.
extension CausalContexts {
  /// Knows no context yet: those of a replica must be read before anything is asked of its writes.
  init(unreadOf own: ReplicaID) {
    self.init(own: own)
    replicasRead = []
  }

  /// Reads the contexts of all replicas.
  init(in snapshot: borrowing StoreSnapshot) throws {
    self.init(own: try snapshot.replica)
    try read(prefix: SyncAttachment.contexts, in: snapshot)
  }

  /// Reads the contexts of one replica, unless they were read before.
  mutating func read(of replica: ReplicaID, in snapshot: borrowing StoreSnapshot) throws {
    guard replicasRead?.insert(replica).inserted ?? false else { return }
    try read(prefix: CausalContexts.prefix(of: replica), in: snapshot)
  }

  /// Reads the contexts of all replicas whose writes a merge may compare.
  mutating func read(
    for arrivals: MergeArrivals, _ settlement: Settlement, _ log: LogBook, in snapshot: borrowing StoreSnapshot
  ) throws {
    guard replicasRead != nil else { return }
    var replicas: Set<ReplicaID> = []
    var last: ReplicaID?
    let note = { (stamp: Stamp) in
      if stamp.replica != last { replicas.insert(stamp.replica) }
      last = stamp.replica
    }
    arrivals.forEachStamp(note)
    settlement.forEachStamp(note)
    log.forEachStamp(note)
    for replica in replicas { try read(of: replica, in: snapshot) }
  }

  private mutating func read(prefix: [UInt8], in snapshot: borrowing StoreSnapshot) throws {
    var contexts = self
    try snapshot.forEachAttachment(prefix: prefix) { key, value in
      try contexts.read(key: key, value: value)
      return true
    }
    self = contexts
  }

  /// Reads what this replica itself had seen when it wrote what the log's records say: then it wrote on from it.
  mutating func readOwn(
    for arrivals: MergeArrivals, _ log: LogBook, in snapshot: borrowing StoreSnapshot
  ) throws {
    for facts in arrivals.known.values where !log.units(of: facts.key).isEmpty { try readOwn(of: facts, in: snapshot) }
  }

  /// Reads what this replica itself had seen when it wrote the values of a record.
  mutating func readOwn(of facts: RecordFacts, in snapshot: borrowing StoreSnapshot) throws {
    for register in facts.registers where register.stamp.replica == own && !isNoted(own: register.stamp) {
      let stamp = register.stamp
      // Trimmed history says nothing, and then nothing is concluded.
      guard let context = try snapshot.historyTransaction(with: stamp)?.context else { continue }
      note(own: stamp, context: context)
    }
  }

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

// The writes that a merge may compare.
extension MergeArrivals {
  fileprivate func forEachStamp(_ body: (Stamp) -> Void) {
    for transaction in transactions {
      body(transaction.stamp)
      for facts in transaction.records { facts.forEachStamp(body) }
    }
    for facts in known.values { facts.forEachStamp(body) }
    for standing in standings.values { standing.stamp.map(body) }
  }
}

extension Settlement {
  fileprivate func forEachStamp(_ body: (Stamp) -> Void) {
    for record in records.values {
      record.facts.forEachStamp(body)
      record.standing.stamp.map(body)
      record.forgottenBy.map(body)
      for reference in record.lostReferences + record.voidReferences {
        body(reference.stamp)
        body(reference.winningStamp)
      }
    }
    for standing in standingsBefore.values { standing.stamp.map(body) }
    for change in classes {
      for member in change.members { member.forEachStamp(body) }
    }
  }
}

extension RecordStanding {
  /// The write that decides it.
  fileprivate var stamp: Stamp? {
    switch self {
    case .alive(let activity): activity
    case .waiting: nil
    case .dead(let deleted, _): deleted
    }
  }
}
