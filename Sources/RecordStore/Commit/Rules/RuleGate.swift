import LMDB

/// Decides of each record whether a rule looks at it.
///
/// Its questions are those that the rules ask, too, and for which they then do nothing. So a record that the gate lets
/// pass comes out the same when the rules look at it; `PlainSaveTests`, `PlainMergeTests` and the simulator hold this,
/// by stores of which the gate lets nothing pass. Most questions end at a table that is empty.
struct RuleGate {
  private let layout: StoreLayout
  private let view: TransactionView
  private let isMerge: Bool
  let side: SideTableFacts
  /// The unique values that records once held, for a merge; nil if there are none.
  private let heldKeys: Database?

  /// `side`: what is known of the tables beside the rows already.
  init(_ layout: StoreLayout, _ view: TransactionView, isMerge: Bool, side: SideTableFacts? = nil) throws {
    self.layout = layout
    self.view = view
    self.isMerge = isMerge
    self.side = try side ?? SideTableFacts(layout, view)
    heldKeys = isMerge && self.side.hasHeldKeys ? layout.databases.classTables?.heldKeys : nil
  }
}

// The gate of an entity.
extension RuleGate {
  /// Whether some new records may pass.
  func allowsInserts(_ rules: EntityRules) -> Bool {
    // With aliases, one key has several spellings.
    !isBound(rules) && !(isMerge && side.hasAliases && rules.hasUniqueReference)
  }

  /// Whether some new values of known records may pass.
  func allowsUpdates(_ rules: EntityRules) -> Bool {
    // With a claim that no index shows, a look at the record's rivals comes first.
    !isBound(rules) && !(!isMerge && side.hasClaims && rules.hasUniqueReference)
  }

  /// Whether all of an entity's records depend on others: a one-to-one displaces, a containment can close a circle, and
  /// a local save is held to counts.
  private func isBound(_ rules: EntityRules) -> Bool {
    rules.references.contains { rule in
      rule.isExclusive || rule.isContaining || !isMerge && (rule.countsHolders || rule.needsTarget)
    } || !isMerge && rules.incoming.contains { $0.rule.minimumCount > 0 }
  }
}

// The gate of a record.
extension RuleGate {

  /// Whether a reference leads to a record that readers see. `inserts`: whether the commit takes a new one of an
  /// entity.
  @inline(__always)
  func isVisible(_ target: RecordID, _ rule: ReferenceRule, inserts: (EntityNumber) -> Bool) throws -> Bool {
    try target.withRawBytes { key throws in
      if side.hasAliases, try view.get(layout.databases.aliases, key: key) != nil { return false }
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
  func isUnknown(_ id: RecordID, _ rules: EntityRules, isBehindAll: Bool) throws -> Bool {
    if side.hasBackReferences, !rules.incoming.isEmpty {
      var prefix: [UInt8] = []
      id.append(to: &prefix)
      guard try !view.hasKey(in: layout.databases.backReferences, startingWith: prefix) else { return false }
    }
    if isBehindAll { return true }
    return try id.withRawBytes { key throws in
      let hidden = HiddenTable.key(RecordKey(entity: rules.entity.number, id: id))
      return try view.get(layout.databases.hidden, key: hidden) == nil
        && (!side.hasAliases || view.get(layout.databases.aliases, key: key) == nil)
    }
  }

  /// Whether a record stands for itself and shares its row with no other.
  func isOnItsOwn(_ key: RecordKey) throws -> Bool {
    if side.hasAliases {
      guard try key.id.withRawBytes({ id throws in try view.get(layout.databases.aliases, key: id) == nil }) else {
        return false
      }
    }
    guard side.hasOriginals, let originals = layout.databases.classTables?.originals else { return true }
    return try !view.hasKey(in: originals, startingWith: OriginalTable.prefix(key))
  }

  var hasClaims: Bool { side.hasClaims }

  /// Whether unique values of new records must be looked for beside the indexes.
  var hasHeldValues: Bool { side.hasClaims || heldKeys != nil }

  /// Whether a record holds a unique value unseen, or, of a merge, ever did. `key`: the value's in its index.
  func isHeld(_ key: borrowing KeyEncoder, in index: IndexKey) throws -> Bool {
    guard side.hasClaims || heldKeys != nil else { return false }
    let prefix = ClaimTable.prefix(ClaimKey(index: index.number, bytes: key.bytes))
    if side.hasClaims, try view.hasKey(in: layout.databases.claims, startingWith: prefix) { return true }
    guard let heldKeys else { return false }
    return try view.hasKey(in: heldKeys, startingWith: prefix)
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
