import RecordStore

/// Transactions of one replica, contiguous, in the numbering of one catalogue of their author: one commit.
struct ImportBatch: Sendable {
  struct Outcome: Sendable {
    var transactions = 0
    var records = 0
    var conflicts = 0
    var warnings: [String] = []

    mutating func add(_ other: Outcome) {
      transactions += other.transactions
      records += other.records
      conflicts += other.conflicts
      warnings += other.warnings.filter { !warnings.contains($0) }
    }
  }

  /// Batches with fewer records than twice this stay whole: a commit costs two flushes, whatever it holds.
  static let leastHalf = 2000

  var replica: ReplicaID
  var author: Catalogue
  private(set) var transactions: [ArrivingTransaction] = []
  private(set) var recordCount = 0

  init(replica: ReplicaID, author: Catalogue) {
    self.replica = replica
    self.author = author
  }

  /// Whether it holds so many records, or so many transactions: those without records cost something, too.
  func isFull(_ count: Int) -> Bool { max(recordCount, transactions.count) >= count }

  mutating func append(_ transaction: ArrivingTransaction) {
    transactions.append(transaction)
    recordCount += transaction.recordCount
  }

  /// Two batches of whole transactions with about as many records each, in order; nil if they would be small.
  var halves: (ImportBatch, ImportBatch)? {
    guard recordCount >= 2 * ImportBatch.leastHalf, transactions.count > 1 else { return nil }
    var (first, second) = (ImportBatch(replica: replica, author: author), ImportBatch(replica: replica, author: author))
    for transaction in transactions.dropLast() {
      let isFirst = second.transactions.isEmpty && 2 * first.recordCount < recordCount
      if isFirst { first.append(transaction) } else { second.append(transaction) }
    }
    second.append(transactions[transactions.count - 1])
    return (first, second)
  }

  mutating func removeAll() {
    transactions.removeAll()
    recordCount = 0
  }

  /// Reads a change set's transactions above `sequence`, whose stamps rise from `stamp` on. Throws when one is not what
  /// the file says.
  static func read(
    _ set: ChangeSet, author: Catalogue, after sequence: UInt64, above stamp: Stamp = .zero, subject: String
  ) throws -> [ArrivingTransaction] {
    var last = stamp
    let types = FieldTypes(author, subject: subject)
    var transactions: [ArrivingTransaction] = []
    for (index, bytes) in set.transactions.enumerated() {
      let expected = Dot(replica: set.replica, sequence: set.firstSequence + UInt64(index))
      guard expected.sequence > sequence else { continue }
      let transaction = try EncodedTransaction(bytes, fieldType: types.type)
      guard transaction.head.dot == expected, transaction.head.stamp.replica == set.replica else {
        throw SyncError(.damagedFile, "\(subject) holds a transaction that is not its replica's next one")
      }
      guard transaction.head.stamp > last else { throw ImportBatch.fallingTimes(subject) }
      last = transaction.head.stamp
      if let notice = transaction.head.notice { _ = try SyncNotice(notice) }
      transactions.append(.encoded(transaction))
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

  /// The transactions with all records as values, for ``request(of:in:)``.
  func decoded() throws -> [TransactionFacts] {
    let types = FieldTypes(author, subject: "a file of replica \(replica)")
    return try transactions.map { try $0.facts(author: types) }
  }

  /// The commit's request, built from the writer's own snapshot: what is known by now is left out.
  func request(
    of transactions: [TransactionFacts], in snapshot: borrowing StoreSnapshot
  ) throws -> (SaveRequest, Pending?) {
    let have = try snapshot.versionVector.sequence(of: replica)
    var new = transactions.filter { $0.dot.sequence > have }
    guard new.first?.dot.sequence == have + 1 else { return (SaveRequest(), nil) }
    new = try CollectionState(snapshot).leavingOutVoid(new, in: snapshot)
    // What this store does not know is entered in the same commit; it shows nowhere before a schema declares it.
    let additions = CatalogueMapping(author: author, local: snapshot.catalogue).additions
    let catalogue = snapshot.catalogue.adding(additions)
    let mapping = CatalogueMapping(author: author, local: catalogue)
    let translated = new.map { transaction in
      var translated = transaction
      translated.records = transaction.records.compactMap { mapping.translate($0) }
      return translated
    }
    var arrivals = try MergeArrivals(translated, in: snapshot)
    var request = Merge.request(for: &arrivals)
    request.catalogueAdditions = additions
    for transaction in new { request.attachments += try ImportBatch.notices(of: transaction, mapping) }
    let outcome = Outcome(
      transactions: new.count, records: request.changes.count, warnings: mapping.mismatches)
    let isAlone = try isOfOneHand(new, in: snapshot)
    return (request, Pending(arrivals: arrivals, outcome: outcome, isOfOneHand: isAlone))
  }

  /// Whether all that the store knows, and all that arrives, was written by one replica: then its author knew every
  /// write that a later one beats, and the log has nothing to say. So it is where a new device reads its first stream.
  private func isOfOneHand(_ new: [TransactionFacts], in snapshot: borrowing StoreSnapshot) throws -> Bool {
    guard try snapshot.versionVector.entries.keys.allSatisfy({ $0 == replica }),
      new.allSatisfy({ $0.forkedFrom == nil }), try snapshot.forkedStreams.isEmpty
    else { return false }
    var isLogEmpty = true
    try snapshot.forEachAttachment(prefix: SyncAttachment.conflicts) { _, _ in
      isLogEmpty = false
      return false
    }
    return isLogEmpty
  }

  /// What a commit must still say of its merge when the store has settled.
  struct Pending: Sendable {
    var arrivals: MergeArrivals
    var outcome: Outcome
    var isOfOneHand: Bool

    /// The changes of the conflict log, for the same commit.
    func conclude(
      _ result: SaveResult, nowMilliseconds: UInt64, in snapshot: borrowing StoreSnapshot
    ) throws -> ([StoreAttachment], Outcome) {
      if isOfOneHand { return ([], outcome) }
      var arrivals = arrivals
      let settlement = try Settlement(after: result, of: arrivals, in: snapshot)
      try arrivals.contexts.readOwn(for: settlement, in: snapshot)
      let before = try LogBook(
        of: arrivals, settlement: settlement, nowMilliseconds: nowMilliseconds, in: snapshot)
      let (attachments, newCount) = Merge.log(of: arrivals, settlement: settlement, before: before).changes
      var outcome = outcome
      outcome.conflicts = newCount
      return (attachments, outcome)
    }
  }

  /// What a transaction says besides its records, kept until it can be carried out.
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
