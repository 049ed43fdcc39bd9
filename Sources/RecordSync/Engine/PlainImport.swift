import RecordStore

// The short way of a merge: the store takes the transactions' bytes, and tells of the records of which the log must
// know more. See `PlainMerge` in RecordStore.
extension ImportBatch {
  /// What a commit by the short way must still say of its merge.
  struct PlainPending: Sendable {
    /// Without records.
    let heads: [TransactionFacts]
    let contexts: CausalContexts
    let outcome: Outcome

    /// The changes of the conflict log, for the same commit; no outcome, with nothing done, if the batch must take the
    /// general way.
    func conclude(
      _ result: SaveResult, nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot
    ) throws -> ([SaveRequest.Attachment], Outcome?) {
      guard result.isPlain else { return ([], nil) }
      guard !result.met.isEmpty else { return ([], outcome) }
      var transactions = heads
      var known: [RecordKey: RecordFacts] = [:]
      for record in result.met {
        known[record.before.key] = record.before
        for arrival in record.arrivals { transactions[arrival.transaction].records.append(arrival.facts) }
      }
      var arrivals = MergeArrivals(transactions, own: contexts.own)
      arrivals.known = known
      arrivals.contexts = contexts
      let before = try LogBook(
        of: arrivals, settlement: Settlement(), nowMilliseconds: nowMilliseconds, in: snapshot)
      let (attachments, newCount) = Merge.log(of: arrivals, settlement: Settlement(), before: before).changes
      var outcome = outcome
      outcome.conflicts = newCount
      return (attachments, outcome)
    }
  }

  /// The commit's request, built from the writer's own snapshot; nothing to do if the batch must take the general way.
  func plainRequest(in snapshot: borrowing StoreSnapshot) throws -> (SaveRequest, PlainPending?) {
    let have = try snapshot.versionVector.sequence(of: replica)
    let new = transactions.compactMap { transaction -> EncodedTransaction? in
      guard case .encoded(let transaction) = transaction, transaction.head.dot.sequence > have else { return nil }
      return transaction
    }
    let heads = new.map(\.head)
    let mapping = CatalogueMapping(author: author, local: snapshot.catalogue)
    guard heads.first?.dot.sequence == have + 1, heads.last?.dot == transactions.last?.head.dot,
      mapping.additions.isEmpty, try !CollectionState(snapshot).hasVoid(in: heads)
    else { return (SaveRequest(), nil) }
    var contexts = try CausalContexts(in: snapshot)
    var request = Merge.request(for: heads, &contexts)
    request.arrivals = EncodedArrivals(
      transactions: new,
      entities: mapping.entities.map { entity in
        entity.map { EncodedArrivals.Entity(number: $0.number, ordinals: $0.ordinals) }
      },
      reportedPrefix: SyncAttachment.conflicts)
    for head in heads { request.attachments += try ImportBatch.notices(of: head, mapping) }
    let outcome = Outcome(
      transactions: new.count, records: new.reduce(0) { $0 + $1.recordCount }, warnings: mapping.mismatches)
    return (request, PlainPending(heads: heads, contexts: contexts, outcome: outcome))
  }
}
