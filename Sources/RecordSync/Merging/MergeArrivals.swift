import RecordStore

/// Transactions that arrive, in this store's numbering, and what the store knew of their records before: plain values.
struct MergeArrivals: Hashable, Sendable {
  /// All of one replica, in order.
  var transactions: [TransactionFacts]
  /// The facts of the records that they name, as they were.
  var known: [RecordKey: RecordFacts] = [:]
  /// How the named records stood, and those below them.
  var standings: [RecordKey: RecordStanding] = [:]
  var contexts: CausalContexts

  init(_ transactions: [TransactionFacts], own: ReplicaID) {
    self.transactions = transactions
    contexts = CausalContexts(own: own)
  }

  /// Those at which the rules of a commit looked.
  init(_ heads: [TransactionFacts], _ asked: AskedArrivals, _ contexts: CausalContexts) {
    self.init(heads, own: contexts.own)
    self.contexts = contexts
    (known, standings) = (asked.known, asked.standings)
    for arrival in asked.arrivals { transactions[arrival.transaction].records.append(arrival.facts) }
  }
}
