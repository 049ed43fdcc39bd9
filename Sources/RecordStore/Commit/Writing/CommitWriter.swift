import LMDB

/// Writes what a settled session has decided: records, then the differences of everything derived from them.
struct CommitWriter {
  private let session: CommitSession
  private let layout: StoreLayout
  private var indexes: [Int: IndexChanges] = [:]
  private var lastIDs: [EntityNumber: RecordID] = [:]
  private var encoder = KeyEncoder()

  init(_ session: CommitSession) {
    self.session = session
    layout = session.layout
  }

  /// Throws `uniquenessViolation` when two records would hold one unique value.
  mutating func write(to transaction: borrowing WriteTransaction) throws {
    try ClassWriter(session).write(to: transaction)
    for slot in slotsInKeyOrder() { try write(session.records[slot], to: transaction) }
    for (key, facts) in session.division.entered where session.slots[key] == nil { try removeEntries(of: facts) }
    for number in indexes.keys.sorted() {
      do {
        try indexes[number]?.write(to: transaction)
      } catch let error as LMDBError where error.code == .keyExists {
        throw StoreError(
          .uniquenessViolation,
          "the save gives a unique value of \(layout.catalogue.description(ofIndex: number)) to a record while another "
            + "has it: change one of them",
          cause: error)
      }
    }
  }

  /// Changed records by entity and id: rows are written in the order of their keys.
  private func slotsInKeyOrder() -> [Int] {
    let records = session.records
    func precedes(_ left: Int, _ right: Int) -> Bool {
      let (left, right) = (records[left].facts, records[right].facts)
      return left.entity != right.entity ? left.entity < right.entity : left.id < right.id
    }
    let slots = records.indices.filter { records[$0].hasChanged || session.division.entered[records[$0].key] != nil }
    let isSorted = zip(slots, slots.dropFirst()).allSatisfy { precedes($0, $1) }
    return isSorted ? slots : slots.sorted(by: precedes)
  }

  private mutating func write(_ record: WorkingRecord, to transaction: borrowing WriteTransaction) throws {
    let entity = layout.catalogue.entities[record.facts.entity]
    let rules = layout.rules[entity.number]
    var bytes: [UInt8] = []
    if !record.isRemoved {
      bytes = try RecordEncoding(record.facts, fieldCount: entity.fields.count, dangling: record.dangling).bytes()
    }
    try collectIndexChanges(record, rules, bytes)
    try writeRow(record, bytes, to: transaction)
    try writeBackReferences(record, rules, to: transaction)
    try writeClaims(record, rules, to: transaction)
  }

  private mutating func writeRow(
    _ record: WorkingRecord, _ bytes: [UInt8], to transaction: borrowing WriteTransaction
  ) throws {
    let key = record.key
    let table = layout.databases.records[key.entity]
    if record.isVisible {
      let mode: WriteTransaction.PutMode = try appends(record, to: transaction) ? .append : .upsert
      try key.id.withRawBytes { raw throws in
        try bytes.withRawBytes { bytes throws in try transaction.put(table, key: raw, value: bytes, mode: mode) }
      }
    } else if record.wasVisible {
      try key.id.withRawBytes { raw throws in _ = try transaction.delete(table, key: raw) }
    }
    let isHidden = !record.isVisible && !record.isRemoved
    if isHidden {
      try transaction.put(layout.databases.hidden, key: HiddenTable.key(key), value: bytes)
    } else if record.original != nil, !record.wasVisible {
      try transaction.delete(layout.databases.hidden, key: HiddenTable.key(key))
    }
  }

  /// Whether a row goes behind the last one of its table. Rows come in key order, so once is always.
  private mutating func appends(
    _ record: WorkingRecord, to transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard !record.wasVisible else { return false }
    let entity = record.facts.entity
    if lastIDs[entity] == nil {
      var cursor = try transaction.view.cursor(layout.databases.records[entity])
      lastIDs[entity] = try cursor.last().flatMap { RecordID(bytes: $0.key) } ?? RecordID(high: 0, low: 0)
    }
    guard let last = lastIDs[entity], record.facts.id > last else { return false }
    lastIDs[entity] = record.facts.id
    return true
  }
}

// The entries that are derived from a record.
extension CommitWriter {
  private mutating func collectIndexChanges(_ record: WorkingRecord, _ rules: EntityRules, _ bytes: [UInt8]) throws {
    let entered = session.division.entered[record.key]
    for key in rules.indexes {
      let old =
        try entered.map { try enteredKey(key, $0, dangling: record.originalDangling, rules.entity) }
        ?? (record.wasVisible ? storedKey(key, record, rules.entity) : nil)
      var isUnique = false
      if record.isVisible {
        isUnique = bytes.withRawBytes { key.encode(RecordView($0), id: record.facts.id, into: &encoder) }
        if let old, encoder.holds(old) { continue }
      }
      guard old != nil || record.isVisible else { continue }
      let number = key.index.number
      let empty = IndexChanges(database: layout.databases.index(number))
      if let old { indexes[number, default: empty].remove(old) }
      if record.isVisible {
        indexes[number, default: empty].add(encoder, value: isUnique ? record.facts.id : nil)
      }
    }
  }

  /// The key of the entry that the index has now.
  private func storedKey(_ key: IndexKey, _ record: WorkingRecord, _ entity: CatalogueEntity) -> [UInt8]? {
    record.original.map { storedKey(key, $0, dangling: record.originalDangling, entity).bytes }
  }

  private func storedKey(
    _ key: IndexKey, _ facts: RecordFacts, dangling: [Int], _ entity: CatalogueEntity
  ) -> (bytes: [UInt8], isUnique: Bool) {
    var bytes: [UInt8] = []
    let hasNull = IndexKey.append(key.index, to: &bytes) { ordinal in
      dangling.contains(ordinal) ? .null : facts.value(of: entity.fields[ordinal])
    }
    let isUnique = key.index.isUnique && !hasNull
    if !isUnique { facts.id.append(to: &bytes) }
    return (bytes, isUnique)
  }

  /// The key of the entry that this commit has made; nil if the value was another record's.
  private func enteredKey(
    _ key: IndexKey, _ facts: RecordFacts, dangling: [Int], _ entity: CatalogueEntity
  ) throws -> [UInt8]? {
    let (bytes, isUnique) = storedKey(key, facts, dangling: dangling, entity)
    guard isUnique else { return bytes }
    let holder = try session.view.get(layout.databases.index(key.index.number), key: bytes)
    return holder.flatMap { RecordID(bytes: $0) } == facts.id ? bytes : nil
  }

  /// A record that was to be new and became another one leaves nothing.
  private mutating func removeEntries(of facts: RecordFacts) throws {
    let rules = layout.rules[facts.entity]
    for key in rules.indexes {
      guard let old = try enteredKey(key, facts, dangling: [], rules.entity) else { continue }
      let number = key.index.number
      indexes[number, default: IndexChanges(database: layout.databases.index(number))].remove(old)
    }
  }

  private func writeBackReferences(
    _ record: WorkingRecord, _ rules: EntityRules, to transaction: borrowing WriteTransaction
  ) throws {
    let old = record.original.map {
      DerivedKeys.backReferences($0, isVisible: record.wasVisible, dangling: record.originalDangling, rules)
    }
    let new =
      record.isRemoved
      ? []
      : DerivedKeys.backReferences(record.facts, isVisible: record.isVisible, dangling: record.dangling, rules)
    try writeDifference(from: old ?? [], to: new, in: layout.databases.backReferences, transaction)
  }

  private func writeClaims(
    _ record: WorkingRecord, _ rules: EntityRules, to transaction: borrowing WriteTransaction
  ) throws {
    guard !rules.uniquePositions.isEmpty else { return }
    var old: Set<[UInt8]> = []
    var new: Set<[UInt8]> = []
    if let original = record.original {
      old = try DerivedKeys.claims(
        session.claims(of: original), original, isVisible: record.wasVisible, dangling: record.originalDangling, rules)
    }
    if !record.isRemoved, !record.isVisible || !record.dangling.isEmpty {
      new = try DerivedKeys.claims(
        session.claims(of: record.facts), record.facts, isVisible: record.isVisible, dangling: record.dangling, rules)
    }
    try writeDifference(from: old, to: new, in: layout.databases.claims, transaction)
  }

  private func writeDifference(
    from old: Set<[UInt8]>, to new: Set<[UInt8]>, in database: Database, _ transaction: borrowing WriteTransaction
  ) throws {
    guard old != new else { return }
    for key in old.subtracting(new) { try transaction.delete(database, key: key) }
    for key in new.subtracting(old).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      try transaction.put(database, key: key, value: [])
    }
  }
}

/// Which entries of the side tables a record has; shared by commit and integrity check.
enum DerivedKeys {
  static func backReferences(
    _ facts: RecordFacts, isVisible: Bool, dangling: [Int], _ rules: EntityRules
  ) -> Set<[UInt8]> {
    guard !isVisible || !dangling.isEmpty else { return [] }
    var keys: Set<[UInt8]> = []
    for rule in rules.references {
      guard let target = facts.reference(at: rule.ordinal), !isVisible || dangling.contains(rule.ordinal) else {
        continue
      }
      let holder = RecordKey(entity: facts.entity, id: facts.id)
      keys.insert(BackReferenceTable.key(target: target, holder: holder, ordinal: rule.ordinal))
    }
    return keys
  }

  /// The entries of `claims` that the unique index does not show.
  static func claims(
    _ claims: [ClaimKey], _ facts: RecordFacts, isVisible: Bool, dangling: [Int], _ rules: EntityRules
  ) -> Set<[UInt8]> {
    let shown = rules.uniquePositions.map { rules.indexes[$0].index }.filter { index in
      isVisible && !index.components.contains { dangling.contains($0.ordinal) }
    }
    let hidden = claims.filter { claim in !shown.contains { $0.number == claim.index } }
    return Set(hidden.map { ClaimTable.key($0, id: facts.id) })
  }
}
