package import RecordStore

/// Reads a dump, or lines that a person wrote, into a store.
package enum RecordLoad {
  /// The outcome of a load, by its lines.
  package struct Outcome: Hashable, Sendable {
    package var inserted = 0
    package var updated = 0
    /// Lines that changed nothing, and lines about records that are not visible.
    package var unchanged = 0
    /// The store's transaction; 0 if nothing changed.
    package var transaction: UInt64 = 0
  }

  /// Applies the lines to an existing store as new edits of this replica, in one transaction.
  ///
  /// A record that the store has gets the line's values where they differ; others are inserted, under their id where
  /// the line has one. A line without an id whose unique value a record has is about that record. Stamps and tombstones
  /// of the dump are left aside. If anything throws, nothing was loaded.
  package static func apply(
    _ reader: DumpReader, to store: RecordStore, author: String?, progress: (Int) -> Void = { _ in }
  ) throws -> Outcome {
    var records: [LoadPlan.Line] = []
    var reader = reader
    while let (content, line) = try reader.next() {
      // An alias is no edit: the store joins records by itself where their unique values are equal.
      guard case .record(let record) = content else { continue }
      records.append(.init(record, number: line))
      if records.count.isMultiple(of: 1000) { progress(records.count) }
    }
    let lines = records
    let dumped = reader.header?.catalogue
    let (result, outcome) = try store.commit { snapshot in
      let plan = try LoadPlan(lines, dumped: dumped, in: snapshot)
      return (plan.request(author: author), plan.outcome)
    }
    var counted = outcome
    counted.transaction = result.number
    return counted
  }

  /// Applies records with typed values to an existing store as new edits of this replica, in one transaction, by the
  /// same rules. If anything throws, nothing was loaded.
  ///
  /// - Parameter isDryRun: whether the plan is made and nothing is saved.
  package static func apply(
    _ records: [TypedRecord], to store: RecordStore, author: String?, isDryRun: Bool = false
  ) throws -> Outcome {
    let lines = records.map { LoadPlan.Line($0) }
    if isDryRun { return try store.read { try LoadPlan(lines, dumped: nil, in: $0).outcome } }
    let (result, outcome) = try store.commit { snapshot in
      let plan = try LoadPlan(lines, dumped: nil, in: snapshot)
      return (plan.request(author: author), plan.outcome)
    }
    var counted = outcome
    counted.transaction = result.number
    return counted
  }

  /// Makes a new store with the dump's catalogue, facts, aliases and version vector, as a new replica of its family.
  ///
  /// The store is closed when this returns. If anything throws, the caller removes what was begun.
  package static func create(
    _ configuration: StoreConfiguration, from reader: DumpReader, progress: (Int) -> Void = { _ in }
  ) throws -> Outcome {
    guard let header = reader.header else {
      throw InspectionError(
        .notADump, "line 1 is not the schema line of a dump; give a file that `tandem dump` wrote, or use --into")
    }
    let store = try RecordStore.create(configuration, catalogue: header.catalogue, storeID: header.storeID)
    var outcome = Outcome()
    var batch = RestoredFacts(vector: header.vector)
    // Records whose row is not what they wrote: their lines of their own stand for them.
    var written: Set<WrittenRecord> = []
    var reader = reader
    while let (content, line) = try reader.next() {
      switch content {
      case .alias(let alias): batch.aliases[alias.alias] = alias.canonical
      case .once(let once): batch.once.append(once.entry)
      case .written(let record):
        let facts = try record.facts(in: header.catalogue, line: line)
        written.insert(WrittenRecord(entity: facts.entity, id: facts.id))
        batch.aliases[facts.id] = nil
        batch.records.append(facts)
      case .past(let past): batch.pastWrites.append(try past.write(in: header.catalogue, line: line))
      case .context(let context): batch.contexts.append(context.context)
      case .record(let record):
        let facts = try record.facts(in: header.catalogue, line: line)
        if !written.contains(WrittenRecord(entity: facts.entity, id: facts.id)) { batch.records.append(facts) }
        outcome.inserted += record.isVisible ? 1 : 0
      }
      if case .record = content, batch.records.count >= recordsPerCommit {
        try store.restore(batch)
        batch = RestoredFacts(vector: header.vector, pastWrites: batch.pastWrites)
        progress(outcome.inserted)
      }
    }
    try store.restore(batch)
    try store.settleGivenAliases()
    if let violation = try store.integrityViolations().first {
      throw InspectionError(.wrongValue, "the dump contradicts itself (\(violation)); dump the store again")
    }
    return outcome
  }

  /// Bounds the memory of a load; the store is not visible under its name before the last one.
  private static let recordsPerCommit = 20_000

  private struct WrittenRecord: Hashable {
    let entity: EntityNumber
    let id: RecordID
  }
}
