import LMDB

extension PlainSave {
  /// What is the same for all records of one entity. A class: it is looked up once an entity, and never copied. One
  /// save uses it, and lends no part of it while it calls: access is not checked at run time.
  final class Lane: IndexLane {
    let rules: EntityRules
    let entity: EntityNumber
    let records: Database
    /// Whether new records, and values of old ones, can be plain at all.
    let allowsInserts: Bool
    let allowsUpdates: Bool
    /// By position among the entity's indexes.
    @exclusivity(unchecked) var indexes: [IndexChanges]
    /// Those of which other threads collect the keys.
    @exclusivity(unchecked) private var collecting: [Int: SideWork<IndexChanges>] = [:]
    /// In ``parts``.
    @exclusivity(unchecked) var rows: [RecordDrafts.Entry] = []
    /// Whether new records are among the rows.
    @exclusivity(unchecked) var hasInserts = false
    /// Of records that were looked at for an update; sorted when the rows are.
    @exclusivity(unchecked) var updatedIDs: [RecordID] = []
    /// By ordinal, whether an index has the field.
    let isIndexed: [Bool]
    /// For updates; nil while rows are written.
    @exclusivity(unchecked) var reader: RowReader?
    /// Behind every id that anything is known of.
    @exclusivity(unchecked) private(set) var bound: RecordID?

    init(_ rules: EntityRules, _ layout: StoreLayout, _ side: SideEntries) {
      self.rules = rules
      entity = rules.entity.number
      records = layout.databases.records[entity]
      // A one-to-one displaces, a containment can close a circle, counts are counted.
      let isBound =
        rules.references.contains { $0.isExclusive || $0.isContaining || $0.countsHolders || $0.needsTarget }
        || rules.incoming.contains { $0.rule.minimumCount > 0 }
      allowsInserts = !isBound
      // With a claim that no index shows, a look at the record's rivals comes first.
      allowsUpdates =
        !isBound && (!side.hasClaims || !rules.references.contains { rules.uniqueOrdinals.contains($0.ordinal) })
      indexes = rules.indexes.map { IndexChanges(database: layout.databases.index($0.index.number)) }
      isIndexed = (0..<rules.draft.fieldCount).map { ordinal in rules.indexes.contains { $0.contains(ordinal) } }
    }
  }
}

// What is there already.
extension PlainSave.Lane {
  func bound(_ view: TransactionView, _ layout: StoreLayout) throws -> RecordID {
    if let bound { return bound }
    let found = try view.greatestID(of: entity, layout.databases)
    bound = found
    return found
  }

  func row(_ id: RecordID, _ view: TransactionView) throws -> RawBytes? {
    if let reader { return try reader.row(id) }
    let opened = try RowReader(records, view)
    reader = opened
    return try opened.row(id)
  }
}

// What is to be written.
extension PlainSave.Lane {
  /// Makes room for so many updates.
  func reserve(_ count: Int) {
    rows.reserveCapacity(count)
    updatedIDs.reserveCapacity(count)
  }

  /// False if an id is there twice among the rows, or among the updated ones.
  func sort() -> Bool {
    if !Self.isRising(rows.count, { rows[$0].id }) {
      rows.sort { $0.id < $1.id }
      guard Self.isRising(rows.count, { rows[$0].id }) else { return false }
    }
    if Self.isRising(updatedIDs.count, { updatedIDs[$0] }) { return true }
    updatedIDs.sort()
    return Self.isRising(updatedIDs.count, { updatedIDs[$0] })
  }

  @inline(__always)
  private static func isRising(_ count: Int, _ id: (Int) -> RecordID) -> Bool {
    (0..<count).dropFirst().allSatisfy { id($0 - 1) < id($0) }
  }

  /// Whether a record is among the new ones. The rows are sorted.
  func inserts(_ id: RecordID) -> Bool {
    guard hasInserts else { return false }
    let place = rows.partitionIndex { $0.id >= id }
    return place < rows.count && rows[place].id == id && rows[place].isNew
  }

  /// Whether a record is among those that were looked at for an update, which are sorted.
  func updates(_ id: RecordID) -> Bool {
    let place = updatedIDs.partitionIndex { $0 >= id }
    return place < updatedIDs.count && updatedIDs[place] == id
  }

  /// Collects the index keys of new records. `beside`: other threads do so, and sort them, for all indexes but the
  /// first, until ``takeKeys(of:)`` asks for them. `parts` keep the rows' bytes, `encoder` lends its memory.
  func collectKeys(of parts: [RecordDrafts], beside: Bool, _ encoder: inout KeyEncoder) {
    guard hasInserts else { return }
    for position in indexes.indices {
      let (key, rows) = (rules.indexes[position], rows)
      guard beside, position > 0 else {
        indexes[position].add(rows, key, &encoder)
        continue
      }
      let changes = indexes[position]
      collecting[position] = SideWork {
        var (changes, encoder) = (changes, KeyEncoder())
        withExtendedLifetime(parts) { changes.add(rows, key, &encoder) }
        changes.sort()
        return changes
      }
    }
  }

  /// Keys and ids are memory that pages can have. Rules that look at the rest of a save ask for ids.
  func keepRowsAlone(isWhole: Bool) {
    indexes = []
    if isWhole { updatedIDs = [] }
  }

  /// The keys of these indexes are needed now.
  func takeKeys(of positions: some Sequence<Int>) {
    guard !collecting.isEmpty else { return }
    for position in positions {
      if let work = collecting.removeValue(forKey: position) { indexes[position] = work.value() }
    }
  }
}
