import RecordStore

/// Transactions of one replica, contiguous, in the numbering of one catalogue of their author: one commit.
struct ImportBatch: Sendable {
  struct Outcome: Sendable {
    var transactions = 0
    var records = 0
    var conflicts = 0
    var warnings: [String] = []
  }

  var replica: ReplicaID
  var author: Catalogue
  private(set) var transactions: [EncodedTransaction] = []
  private(set) var recordCount = 0
  /// The lengths of the files that were counted for it against a bound on bytes.
  var countedBytes: [Int] = []

  init(replica: ReplicaID, author: Catalogue) {
    self.replica = replica
    self.author = author
  }

  /// Whether it holds so many records, or so many transactions: those without records cost something, too.
  func isFull(_ count: Int) -> Bool { max(recordCount, transactions.count) >= count }

  mutating func append(_ transaction: EncodedTransaction) {
    transactions.append(transaction)
    recordCount += transaction.recordCount
  }

  mutating func removeAll() {
    transactions.removeAll()
    countedBytes.removeAll()
    recordCount = 0
  }

  /// Reads a change set's transactions above `sequence`, whose stamps rise from `stamp` on. Throws when one is not what
  /// the file says.
  static func read(
    _ set: ChangeSet, author: Catalogue, after sequence: UInt64, above stamp: Stamp = .zero, subject: String
  ) throws -> [EncodedTransaction] {
    var last = stamp
    let types = FieldTypes(author, subject: subject)
    var transactions: [EncodedTransaction] = []
    for (index, bytes) in set.transactions.enumerated() {
      let expected = Dot(replica: set.replica, sequence: set.firstSequence + UInt64(index))
      guard expected.sequence > sequence else { continue }
      let transaction = try EncodedTransaction(
        bytes, holdsReferences: set.holdsReferences, fieldType: types.type)
      guard transaction.head.dot == expected, transaction.head.stamp.replica == set.replica else {
        throw SyncError(.damagedFile, "\(subject) holds a transaction that is not its replica's next one")
      }
      guard transaction.head.stamp > last else { throw ImportBatch.fallingTimes(subject) }
      last = transaction.head.stamp
      if let notice = transaction.head.notice { _ = try SyncNotice(notice) }
      transactions.append(transaction)
    }
    return transactions
  }

  /// A replica's clock never goes back: what comes later in its stream has a later stamp.
  static func fallingTimes(_ subject: String) -> SyncError {
    SyncError(
      .damagedFile,
      "\(subject) holds a transaction that is no later than the one before it; remove the file, and find out which "
        + "device made it")
  }

  /// The commit's request, built from the writer's own snapshot: what is known by now is left out.
  /// `values`: where the store's large values lie.
  func request(
    in snapshot: borrowing StoreSnapshot, values: ExternalFolder?, nowMilliseconds: UInt64
  ) throws -> (SaveRequest, Pending?) {
    let have = try snapshot.versionVector.sequence(of: replica)
    let new = transactions.filter { $0.head.dot.sequence > have }
    guard new.first?.head.dot.sequence == have + 1 else { return (SaveRequest(), nil) }
    // Entities and fields that this store does not know are entered in the same commit; they show nowhere before a
    // schema declares them.
    let additions = CatalogueMapping(author: author, local: snapshot.catalogue).additions
    let mapping = CatalogueMapping(author: author, local: snapshot.catalogue.adding(additions))
    let heads = new.map(\.head)
    let forks = try snapshot.forkedStreams(with: heads)
    var contexts = try ImportBatch.contexts(of: heads, forks, in: snapshot)
    contexts.forks = forks.isEmpty ? nil : forks
    var (origins, attachments) = Merge.origins(of: heads, &contexts)
    for head in heads { attachments += try ImportBatch.notices(of: head, mapping) }
    if let stamp = heads.first?.stamp {
      // By its stamps: those of a stream's branch have the id of the stream.
      attachments += try WriterVersion.noting(
        [WriterVersion(stamp.replica, author.schemaVersion, since: stamp)], in: snapshot)
    }
    attachments += try ValueList.entries(
      of: Set(new.flatMap { $0.references.map(\.reference) }), by: replica, here: values, in: snapshot)
    let (kept, deletes) = try CollectionState(snapshot).leavingOutVoid(new, forks, in: snapshot)
    attachments += deletes.compactMap { delete -> StoreAttachment? in
      guard delete.record.entity < mapping.entities.count,
        let number = mapping.entities[delete.record.entity]?.number
      else { return nil }
      return Conflict(
        voidDelete: delete.stamp, of: RecordKey(entity: number, id: delete.record.id),
        loggedAtMilliseconds: nowMilliseconds
      ).attachment
    }
    let arrivals = EncodedArrivals(
      transactions: kept,
      entities: mapping.entities.map { entity in
        entity.map { EncodedArrivals.Entity(number: $0.number, ordinals: $0.ordinals) }
      },
      reportedPrefix: SyncAttachment.conflicts)
    let outcome = Outcome(
      transactions: new.count, records: kept.reduce(0) { $0 + $1.recordCount }, warnings: mapping.mismatches)
    let isAlone = try isOfOneHand(heads, in: snapshot)
    let request = SaveRequest(
      .merge(MergeWork(origins, .encoded(arrivals))), catalogueAdditions: additions, attachments: attachments)
    return (request, Pending(heads: heads, contexts: contexts, outcome: outcome, isOfOneHand: isAlone))
  }

  /// Those of the heads' authors. Where streams were forked a write has several names, and all contexts are read.
  private static func contexts(
    of heads: [TransactionFacts], _ forks: ForkedStreams, in snapshot: borrowing StoreSnapshot
  ) throws -> CausalContexts {
    guard forks.isEmpty else { return try CausalContexts(in: snapshot) }
    var contexts = CausalContexts(unreadOf: try snapshot.replica)
    for author in Set(heads.map(\.dot.replica)) { try contexts.read(of: author, in: snapshot) }
    return contexts
  }

  /// Whether all that the store knows, and all that arrives, was written by one replica: then its author knew every
  /// write that a later one beats, and the log has nothing to say. So it is where a new device reads its first stream.
  private func isOfOneHand(_ new: [TransactionFacts], in snapshot: borrowing StoreSnapshot) throws -> Bool {
    guard try snapshot.versionVector.entries.keys.allSatisfy({ $0 == replica }),
      new.allSatisfy({ $0.forkedFrom == nil }), try snapshot.forkedStreams.isEmpty
    else { return false }
    return try LogBook.isEmpty(in: snapshot)
  }

  /// The words about a merge that a commit must still say when the store has settled.
  struct Pending: Sendable {
    /// Without records.
    let heads: [TransactionFacts]
    let contexts: CausalContexts
    let outcome: Outcome
    let isOfOneHand: Bool

    /// The changes of the conflict log, for the same commit.
    func conclude(
      _ result: SaveResult, nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot
    ) throws -> ([StoreAttachment], Outcome) {
      if isOfOneHand { return ([], outcome) }
      var (outcome, contexts) = (outcome, contexts)
      var attachments: [StoreAttachment] = []
      // Records at which rules looked are judged together: they may depend on each other.
      if !result.asked.arrivals.isEmpty || !result.classes.isEmpty {
        var arrivals = MergeArrivals(heads, result.asked, contexts)
        let settlement = try Settlement(after: result, of: arrivals, in: snapshot)
        try contexts.readOwn(for: settlement, in: snapshot)
        let before = try LogBook(
          of: arrivals, settlement: settlement, nowMilliseconds: nowMilliseconds, in: snapshot)
        try contexts.read(for: arrivals, settlement, before, in: snapshot)
        try contexts.readOwn(for: arrivals, before, in: snapshot)
        arrivals.contexts = contexts
        let (changes, newCount) = Merge.log(of: arrivals, settlement: settlement, before: before).changes
        attachments += changes
        outcome.conflicts += newCount
      }
      if !result.met.isEmpty {
        var losses = try MetLosses(contexts, nowMilliseconds: nowMilliseconds, in: snapshot)
        for record in result.met { try losses.compare(record, in: snapshot) }
        attachments += losses.changes
        outcome.conflicts += losses.newCount
      }
      return (attachments, outcome)
    }
  }

  /// The words of a transaction besides its records, kept until they can be carried out.
  static func notices(
    of transaction: TransactionFacts, _ mapping: CatalogueMapping
  ) throws -> [StoreAttachment] {
    guard let bytes = transaction.notice else { return [] }
    let notice = try SyncNotice(bytes)
    let attachments = notice.retired.map { CollectionState.retired($0) }
    guard let part = notice.collection else { return attachments }
    var covered = transaction.context
    covered.entries[transaction.dot.replica] = .init(sequence: transaction.dot.sequence, stamp: transaction.stamp)
    let records = part.records.compactMap { record -> Forgetting.Record? in
      guard record.entity < mapping.entities.count, let entity = mapping.entities[record.entity] else { return nil }
      return Forgetting.Record(entity: entity.number, id: record.id)
    }
    let collection = TombstoneCollection(
      stamp: transaction.stamp, covered: covered, cut: part.cut, records: records)
    return attachments + [collection.attachment]
  }
}
