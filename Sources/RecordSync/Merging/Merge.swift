import RecordStore

/// Turns another replica's transactions into work for the engine, and says what lost: a pure function of values.
///
/// The engine decides the winner (facts are joined, see MergeRules). When it has settled, the merge compares what
/// arrived with what was there to find writes that lost unseen. A write lost *unseen* when the author of the one that
/// beat it had not seen it; it is then in the log exactly once, with its bytes.
struct Merge {
  let transactions: [TransactionFacts]
  let settlement: Settlement
  /// Stamps of the transactions that arrive.
  let arriving: Set<Stamp>
  let contexts: CausalContexts
  /// Facts of the records that arrive, joined one transaction after the other.
  var known: [RecordKey: RecordFacts]
  var log: LogBook

  /// The transactions that the engine shall join, and what is kept of them beside; `contexts` learn what the authors
  /// had seen.
  static func origins(
    of transactions: [TransactionFacts], _ contexts: inout CausalContexts
  ) -> (origins: [TransactionOrigin], attachments: [StoreAttachment]) {
    var (origins, attachments): ([TransactionOrigin], [StoreAttachment]) = ([], [])
    for transaction in transactions {
      var origin = TransactionOrigin(
        dot: transaction.dot, stamp: transaction.stamp, author: transaction.author, context: transaction.context,
        once: transaction.once)
      origin.forkedFrom = transaction.forkedFrom
      origins.append(origin)
      attachments += contexts.note(transaction)
    }
    return (origins, attachments)
  }

  /// The state of the log when `arrivals` have been settled.
  static func log(of arrivals: MergeArrivals, settlement: Settlement, before: LogBook) -> LogBook {
    var merge = Merge(
      transactions: arrivals.transactions, settlement: settlement,
      arriving: Set(arrivals.transactions.map(\.stamp)), contexts: arrivals.contexts, known: arrivals.known,
      log: before)
    merge.compareValues()
    merge.compareJoined()
    merge.judgeLives()
    return merge.log
  }
}
