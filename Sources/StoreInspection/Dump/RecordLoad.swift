package import RecordStore

/// Reads a dump, or lines that a person wrote, into a store.
package enum RecordLoad {
  /// What a load did.
  package struct Outcome: Hashable, Sendable {
    package var inserted = 0
    package var updated = 0
    /// Records that were equal, and lines about records that are not visible.
    package var unchanged = 0
    /// The store's transaction; 0 if nothing changed.
    package var transaction: UInt64 = 0
  }

  /// Applies the lines to an existing store as new edits of this replica, in one transaction.
  ///
  /// A record that the store has gets the line's values where they differ; others are inserted, under their id where
  /// the line has one. Stamps and tombstones of the dump are left aside. If anything throws, nothing was loaded.
  package static func apply(
    _ reader: DumpReader, to store: RecordStore, author: String?, progress: (Int) -> Void = { _ in }
  ) throws -> Outcome {
    var records: [Numbered] = []
    var reader = reader
    while let (content, line) = try reader.next() {
      // An alias is no edit: the store joins records by itself where their unique values are equal.
      guard case .record(let record) = content else { continue }
      records.append(Numbered(record: record, line: line, newID: record.id ?? RecordIDGenerator.shared.next()))
      if records.count.isMultiple(of: 1000) { progress(records.count) }
    }
    let lines = records
    let (result, outcome) = try store.commit { snapshot in
      try request(for: lines, author: author, in: snapshot)
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

  private struct Numbered: Sendable {
    var record: RecordLine
    var line: Int
    var newID: RecordID
  }

  private static func request(
    for records: [Numbered], author: String?, in snapshot: borrowing StoreSnapshot
  ) throws -> (SaveRequest, Outcome) {
    var outcome = Outcome()
    var request = SaveRequest(author: author)
    var seen: Set<RecordID> = []
    for numbered in records {
      guard seen.insert(numbered.newID).inserted else {
        throw InspectionError(
          .malformedLine, "line \(numbered.line) repeats the id of an earlier line; remove one, nothing was loaded")
      }
      guard numbered.record.isVisible else {
        outcome.unchanged += 1
        continue
      }
      let entity = try numbered.record.entity(in: snapshot.catalogue, line: numbered.line)
      let writes = try numbered.record.writes(to: entity, line: numbered.line).map(\.write)
      guard let known = try snapshot.record(numbered.newID, of: entity.number) else {
        outcome.inserted += 1
        let link = try link(writes, of: entity, in: snapshot.catalogue, line: numbered.line)
        request.changes.append(link ?? .insert(entity: entity.number, id: numbered.newID, fields: writes))
        continue
      }
      let different = writes.filter { known.value(of: entity.fields[$0.ordinal]) != $0.value }
      if different.isEmpty {
        outcome.unchanged += 1
      } else {
        outcome.updated += 1
        request.changes.append(.update(entity: entity.number, id: numbered.newID, fields: different))
      }
    }
    return (request, outcome)
  }

  /// The link that a record of a join entity stands for; nil for other entities.
  private static func link(
    _ writes: [FieldWrite], of entity: CatalogueEntity, in catalogue: Catalogue, line: Int
  ) throws -> RecordChange? {
    guard entity.isJoin else { return nil }
    for owner in catalogue.entities {
      for relationship in owner.relationships {
        guard case .join(entity.number, let near, let far) = relationship.storage else { continue }
        if let id = reference(near, in: writes), let other = reference(far, in: writes) {
          return .link(entity: owner.number, id: id, relationship: relationship.name, other: other, isLinked: true)
        }
      }
    }
    throw InspectionError(
      .wrongValue, "line \(line) links no two records of '\(entity.name)'; remove it, nothing was loaded")
  }

  private static func reference(_ ordinal: Int, in writes: [FieldWrite]) -> RecordID? {
    for write in writes where write.ordinal == ordinal {
      if case .reference(let id) = write.value { return id }
    }
    return nil
  }
}
