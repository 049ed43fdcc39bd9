/// Transactions of one other replica, and what they say of records.
package struct MergeWork: Hashable, Sendable {
  /// Rising by one; the first follows what the store has of that replica, else the commit throws `invalidRequest`.
  package var transactions: [TransactionOrigin]
  package var records: Records

  package enum Records: Hashable, Sendable {
    /// The facts of all the transactions, in their order.
    case facts([RecordFacts])
    /// As the transactions arrived.
    case encoded(EncodedArrivals)
  }

  package init(_ transactions: [TransactionOrigin], _ records: Records) {
    self.transactions = transactions
    self.records = records
  }

  var encoded: EncodedArrivals? {
    if case .encoded(let arrivals) = records { arrivals } else { nil }
  }

  var facts: [RecordFacts] {
    if case .facts(let facts) = records { facts } else { [] }
  }
}
