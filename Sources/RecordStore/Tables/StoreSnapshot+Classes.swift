import LMDB

// Records behind rows, for dumps and checks.
extension StoreSnapshot {
  /// Records that share a row with others, or whose references the row spells differently, as they were written, in
  /// order of row and id.
  package func forEachOriginal(
    of entity: EntityNumber, _ body: (_ facts: RecordFacts, _ row: RecordID) throws -> Void
  ) throws {
    try forEachStoredOriginal(of: entity) { facts, row in try body(withValues(facts), row) }
  }

  /// As ``forEachOriginal(of:_:)``; of values that lie beside the store their references.
  package func forEachStoredOriginal(
    of entity: EntityNumber, _ body: (_ facts: RecordFacts, _ row: RecordID) throws -> Void
  ) throws {
    guard let tables = layout.databases.classTables else { return }
    let definition = layout.catalogue.entities[entity]
    let prefix = HiddenTable.prefix(entity)
    try transaction.forEachKey(in: tables.originals, startingWith: prefix) { key, value in
      guard let (row, id) = OriginalTable.ids(key),
        case .record(let facts) = try OriginalTable.entry(value, id: id, definition)
      else { return }
      try body(facts, row.id)
    }
  }

  /// All facts that name one record, as they were written, visible or not; of values that lie beside the store their
  /// references. Nil if there are none. The facts' id is `id`, but for an id that an earlier build joined to another
  /// for good.
  package func storedAsWritten(_ id: RecordID, of entity: EntityNumber) throws -> RecordFacts? {
    let row = RecordKey(entity: entity, id: try canonical(id))
    let definition = layout.catalogue.entities[entity]
    if let table = layout.databases.classTables?.originals,
      let value = try transaction.get(table, key: OriginalTable.key(row, id))
    {
      switch try OriginalTable.entry(value, id: id, definition) {
      case .record(let facts): return facts
      case .folded(let root): return try storedAsWritten(root, of: entity)
      }
    }
    return try storedFacts(row.id, of: entity)
  }

  /// Ids that an earlier build joined to another for good, each with the id of the record that has its facts.
  package func forEachGivenAlias(_ body: (_ id: RecordID, _ root: RecordID) throws -> Void) throws {
    let originals = try layout.databases.classTables.map { try givenAliases(in: $0) } ?? [:]
    try forEachAlias { id, canonical in
      if let known = originals[id] {
        if let root = known { try body(id, root) }
      } else {
        // A class of an earlier build that is not entered yet.
        try body(id, canonical)
      }
    }
  }

  private func givenAliases(in tables: ClassTables) throws -> [RecordID: RecordID?] {
    var found: [RecordID: RecordID?] = [:]
    try transaction.forEachKey(in: tables.originals, startingWith: []) { key, value in
      if let id = OriginalTable.ids(key)?.id { found[id] = .some(RecordID(bytes: value)) }
    }
    return found
  }

  /// Overwritten values of unique keys, in order of entity, id, field and time.
  package func forEachPastWrite(_ body: (RecordPastWrite) throws -> Void) throws {
    guard let tables = layout.databases.classTables else { return }
    try transaction.forEachKey(in: tables.pastWrites, startingWith: []) { key, value in
      let (record, write) = try PastWriteTable.write(key, value)
      try body(RecordPastWrite(entity: record.entity, id: record.id, write: write))
    }
  }

  /// The vectors that authors of transactions had seen, as far as they are known here: one entry for each change, in
  /// order of replica and time. Cost: one pass over history.
  package func causalContexts() throws -> [CausalContext] {
    var found: [CausalContext] = []
    if let tables = layout.databases.classTables {
      try transaction.forEachKey(in: tables.contexts, startingWith: []) { key, value in
        found.append(try ContextTable.entry(key, value))
      }
    }
    try HistoryTable(transaction, layout).forEach(after: 0) { _, entry in
      found += entry.transactions.map { CausalContext(since: $0.stamp, context: $0.context) }
      return true
    }
    return CausalContext.changes(of: found)
  }
}
