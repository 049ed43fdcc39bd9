import LMDB

/// Writes what a settled session has decided about records that share rows: names, records as written, past values.
struct ClassWriter {
  private let session: CommitSession
  private let layout: StoreLayout

  init(_ session: CommitSession) {
    self.session = session
    layout = session.layout
  }

  func write(to transaction: borrowing WriteTransaction) throws {
    // First, for it asks the tables as they were.
    let originals = try changedOriginals()
    try writeAliases(to: transaction)
    for (key, value) in originals {
      if let value {
        try transaction.put(session.tables.originals, key: key, value: value)
      } else {
        try transaction.delete(session.tables.originals, key: key)
      }
    }
    for member in session.equality.members.values { try writeHistory(of: member, to: transaction) }
  }

  /// Every id leads to its canonical id in one step; a canonical id has no entry.
  private func writeAliases(to transaction: borrowing WriteTransaction) throws {
    let table = layout.databases.aliases
    for (id, kept) in session.equality.aliases {
      try id.withRawBytes { id throws in
        if RecordID(bytes: id) == kept {
          _ = try transaction.delete(table, key: id)
        } else {
          try kept.withRawBytes { kept throws in try transaction.put(table, key: id, value: kept) }
        }
      }
    }
  }

  private func writeHistory(of member: Member, to transaction: borrowing WriteTransaction) throws {
    if member.past != member.originalPast {
      for write in member.past where !member.originalPast.contains(write) {
        let key = PastWriteTable.key(member.key, write)
        try transaction.put(session.tables.pastWrites, key: key, value: PastWriteTable.value(of: write))
      }
      for write in member.originalPast where !member.past.contains(where: { $0.isSameWrite(as: write) }) {
        try transaction.delete(session.tables.pastWrites, key: PastWriteTable.key(member.key, write))
      }
    }
    let row = RecordKey(entity: member.facts.entity, id: try session.canonical(member.facts.id))
    let isInClass =
      session.side.hasAliases || !session.equality.aliases.isEmpty ? try session.currentClass(of: row).isShared : false
    guard isInClass || member.wasInClass || !member.past.isEmpty || !member.originalPast.isEmpty else { return }
    let rules = layout.rules[member.facts.entity]
    let new = HeldKeyTable.keys(of: member.facts, member.past, isInClass: isInClass, rules)
    let old =
      member.original.map {
        HeldKeyTable.keys(of: $0, member.originalPast, isInClass: member.wasInClass, rules)
      } ?? []
    for key in old.subtracting(new) { try transaction.delete(session.tables.heldKeys, key: key) }
    for key in new.subtracting(old) { try transaction.put(session.tables.heldKeys, key: key, value: []) }
  }
}

// Records as written.
extension ClassWriter {
  /// Entries of table `originals` to put, or to take away where there is no value.
  private func changedOriginals() throws -> [[UInt8]: [UInt8]?] {
    var changes: [[UInt8]: [UInt8]?] = [:]
    guard session.side.hasAliases || session.side.hasOriginals || !session.equality.aliases.isEmpty else {
      return changes
    }
    for record in session.records where record.isRemoved {
      for key in try storedEntries(of: record.key).keys { changes[key] = .some(nil) }
    }
    var rows: Set<RecordKey> = []
    for key in session.equality.members.keys {
      rows.insert(RecordKey(entity: key.entity, id: try session.canonical(key.id)))
    }
    for row in rows {
      guard let slot = session.slots[row], !session.records[slot].isRemoved else { continue }
      let wanted = try entries(of: row, session.records[slot].facts)
      let stored = try storedEntries(of: row)
      for (key, value) in wanted where stored[key] != value { changes[key] = value }
      for key in stored.keys where wanted[key] == nil { changes[key] = .some(nil) }
    }
    return changes
  }

  private func storedEntries(of row: RecordKey) throws -> [[UInt8]: [UInt8]] {
    var found: [[UInt8]: [UInt8]] = [:]
    guard session.side.hasOriginals else { return found }
    try session.view.forEachKey(in: session.tables.originals, startingWith: OriginalTable.prefix(row)) { key, value in
      found[key.copied()] = value.copied()
    }
    return found
  }

  private func entries(of row: RecordKey, _ shown: RecordFacts) throws -> [[UInt8]: [UInt8]] {
    let entity = layout.catalogue.entities[row.entity]
    let group = try session.currentClass(of: row)
    var entries: [[UInt8]: [UInt8]] = [:]
    for id in group.members {
      guard let member = try session.member(RecordKey(entity: row.entity, id: id)) else { continue }
      let value = try OriginalTable.value(of: member.facts, entity)
      // Compared by bytes: a value may differ from itself.
      guard try group.isShared || value != OriginalTable.value(of: shown, entity) else { continue }
      entries[OriginalTable.key(row, id)] = value
    }
    for (id, root) in group.folded {
      var value: [UInt8] = []
      root.append(to: &value)
      entries[OriginalTable.key(row, id)] = value
    }
    return entries
  }
}
