import LMDB

/// What the tables beside the rows know that could make a plain save special; most stores have little of it.
struct SideEntries {
  let hasAliases: Bool
  let hasBackReferences: Bool
  let hasClaims: Bool
  let hasOriginals: Bool

  init(_ view: TransactionView, _ layout: StoreLayout) throws {
    let databases = layout.databases
    hasAliases = try view.statistics(databases.aliases).entries > 0
    hasBackReferences = try view.statistics(databases.backReferences).entries > 0
    hasClaims = try view.statistics(databases.claims).entries > 0
    hasOriginals = try databases.classTables.map { try view.statistics($0.originals).entries > 0 } ?? false
  }

  /// Whether a reference leads to a record that readers see. `inserts`: whether the commit takes a new one of an
  /// entity.
  @inline(__always)
  func isVisible(
    _ target: RecordID, _ rule: ReferenceRule, _ layout: StoreLayout, _ view: TransactionView,
    inserts: (EntityNumber) -> Bool
  ) throws -> Bool {
    try target.withRawBytes { key throws in
      if hasAliases, try view.get(layout.databases.aliases, key: key) != nil { return false }
      for entity in rule.targets {
        if inserts(entity) { return true }
        if try view.get(layout.databases.records[entity], key: key) != nil { return true }
      }
      return false
    }
  }

  /// Whether nothing is known under an id that has no row. `isBehindAll`: whether it is behind every one of which
  /// anything is known.
  @inline(__always)
  func isUnknown(
    _ id: RecordID, _ rules: EntityRules, _ layout: StoreLayout, _ view: TransactionView, isBehindAll: Bool
  ) throws -> Bool {
    if hasBackReferences, !rules.incoming.isEmpty {
      var prefix: [UInt8] = []
      id.append(to: &prefix)
      guard try !view.hasKey(in: layout.databases.backReferences, startingWith: prefix) else { return false }
    }
    if isBehindAll { return true }
    return try id.withRawBytes { key throws in
      let hidden = HiddenTable.key(RecordKey(entity: rules.entity.number, id: id))
      return try view.get(layout.databases.hidden, key: hidden) == nil
        && (!hasAliases || view.get(layout.databases.aliases, key: key) == nil)
    }
  }

  /// Whether a record stands for itself and shares its row with no other.
  func isOnItsOwn(_ key: RecordKey, _ layout: StoreLayout, _ view: TransactionView) throws -> Bool {
    if hasAliases {
      guard try key.id.withRawBytes({ id throws in try view.get(layout.databases.aliases, key: id) == nil }) else {
        return false
      }
    }
    guard hasOriginals, let originals = layout.databases.classTables?.originals else { return true }
    return try !view.hasKey(in: originals, startingWith: OriginalTable.prefix(key))
  }
}

extension SaveRequest {
  var hasUpdates: Bool {
    !edits.isEmpty
      || changes.contains { change in
        if case .update = change { true } else { false }
      }
  }

  /// Whether it is a local save without anything that belongs to once transactions, scenarios or collection.
  var isLocalAndOrdinary: Bool {
    merge == nil && once == nil && !keepsUpdatesOfUnknownRecords && forgettings.isEmpty && restatements.isEmpty
      && repetition == nil && !isSystem && newFields == nil && touches.isEmpty
  }
}

extension TransactionView {
  func hasKey(in database: Database, startingWith prefix: [UInt8]) throws -> Bool {
    try prefix.withRawBytes { prefix throws in try hasKey(in: database, startingWith: prefix) }
  }

  func hasKey(in database: Database, startingWith prefix: RawBytes) throws -> Bool {
    var cursor = try cursor(database)
    return try cursor.seek(prefix)?.key.hasPrefix(prefix) ?? false
  }

  /// The greatest id of a table of records; zero if it has none.
  func lastID(of records: Database) throws -> RecordID {
    var cursor = try cursor(records)
    return try cursor.last().flatMap { RecordID(bytes: $0.key) } ?? RecordID(high: 0, low: 0)
  }

  /// An id behind every one of an entity of which anything is known.
  func greatestID(of entity: EntityNumber, _ databases: NamedDatabases) throws -> RecordID {
    var greatest = try lastID(of: databases.records[entity])
    var hidden = try cursor(databases.hidden)
    let end = HiddenTable.prefix(entity + 1)
    if let last = try end.withRawBytes({ key throws in try hidden.seek(before: key) }),
      let key = HiddenTable.recordKey(last.key), key.entity == entity
    {
      greatest = max(greatest, key.id)
    }
    return max(greatest, try lastID(of: databases.aliases))
  }
}
