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
    ) throws -> ([StoreAttachment], Outcome?) {
      guard result.isPlain else { return ([], nil) }
      var outcome = outcome
      var attachments: [StoreAttachment] = []
      var rest = result.met[...]
      while !rest.isEmpty {
        let part = rest.prefix(PlainPending.partSize)
        rest = rest.dropFirst(part.count)
        let (changes, newCount) = try log(of: part, nowMilliseconds: nowMilliseconds, in: snapshot)
        attachments += changes
        outcome.conflicts += newCount
      }
      return (attachments, outcome)
    }

    /// Records are judged one by one, so a few at a time do: what is known of them then stays near.
    private static let partSize = 1000

    private func log(
      of met: ArraySlice<MetRecord>, nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot
    ) throws -> (attachments: [StoreAttachment], newCount: Int) {
      var arrivals = MergeArrivals(heads, own: contexts.own)
      arrivals.contexts = contexts
      for record in met {
        arrivals.known[record.before.key] = record.before
        for arrival in record.arrivals { arrivals.transactions[arrival.transaction].records.append(arrival.facts) }
      }
      let before = try LogBook(
        of: arrivals, settlement: Settlement(), nowMilliseconds: nowMilliseconds, in: snapshot)
      return Merge.log(of: arrivals, settlement: Settlement(), before: before).changes
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
      mapping.additions.isEmpty, try !CollectionState(snapshot).hasVoid(in: heads, snapshot.forkedStreams)
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
