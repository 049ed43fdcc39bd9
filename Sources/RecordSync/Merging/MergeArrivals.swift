import RecordStore

/// Transactions that arrive, in this store's numbering, and what the store knew of their records before: plain values,
/// read from the writer's snapshot.
struct MergeArrivals: Hashable, Sendable {
  /// All of one replica, in order.
  var transactions: [TransactionFacts]
  /// What was written to the records that they name.
  var known: [RecordKey: RecordFacts] = [:]
  /// How the named records stood, and those below them.
  var standings: [RecordKey: RecordStanding] = [:]
  var contexts: CausalContexts

  init(_ transactions: [TransactionFacts], own: ReplicaID) {
    self.transactions = transactions
    contexts = CausalContexts(own: own)
  }

  /// `transactions` may name entities that the merge is about to add. One look-up a record.
  init(_ transactions: [TransactionFacts], in snapshot: borrowing StoreSnapshot) throws {
    self.init(transactions, own: try snapshot.replica)
    contexts = try CausalContexts(in: snapshot)
    let forks = try snapshot.forkedStreams(with: transactions)
    contexts.forks = forks.isEmpty ? nil : forks
    let standings = try RecordStandings(in: snapshot)
    for index in self.transactions.indices {
      for position in self.transactions[index].records.indices {
        let facts = self.transactions[index].records[position]
        guard snapshot.catalogue.entities.indices.contains(facts.entity) else { continue }
        let written = try snapshot.written(facts.id, of: facts.entity)
        // Ids that an earlier build joined for good name the record that has their facts.
        if let written { self.transactions[index].records[position].id = written.id }
        let key = self.transactions[index].records[position].key
        known[key] = written
        try read(RecordKey(entity: facts.entity, id: try snapshot.canonical(key.id)), standings, in: snapshot)
      }
    }
  }

  private mutating func read(
    _ key: RecordKey, _ standings: RecordStandings, in snapshot: borrowing StoreSnapshot
  ) throws {
    let facts = try snapshot.facts(key.id, of: key.entity)
    let needsStanding = facts?.deleted != nil || standings.dependsOnOthers(key.entity)
    if needsStanding { try readStanding(of: key, standings) }
    // Those below a visible record show in what the merge changes for readers.
    let isHidden = try snapshot.record(key.id, of: key.entity) == nil
    guard isHidden, standings.hasDependents(key.entity) else { return }
    for below in try standings.dependents(of: key.id, entity: key.entity) {
      try readStanding(of: RecordKey(entity: below.entity, id: below.id), standings)
    }
  }

  private mutating func readStanding(of key: RecordKey, _ standings: RecordStandings) throws {
    guard self.standings[key] == nil else { return }
    self.standings[key] = try standings.standing(of: key.id, entity: key.entity)
  }
}
