import LMDB

extension ChangeBatch {
  /// The parts that are the same for all records of one entity. A class: it is looked up once an entity, and never
  /// copied. One commit uses it, and lends no part of it while it calls: access is not checked at run time.
  final class Lane {
    let rules: EntityRules
    let entity: EntityNumber
    let records: Database
    /// Whether new records, and values of known ones, can pass at all.
    let allowsInserts: Bool
    let allowsUpdates: Bool
    /// By position among the entity's indexes.
    @exclusivity(unchecked) var indexes: [IndexChanges]
    /// Those of which other threads collect the keys.
    @exclusivity(unchecked) private var collecting: [Int: SideWork<IndexChanges>] = [:]
    /// The records as they will lie in their table, in what the intake keeps.
    @exclusivity(unchecked) var rows: [RecordDrafts.Entry] = []
    /// Whether new records are among the rows.
    @exclusivity(unchecked) var hasInserts = false
    /// The ids of known records that were taken, changed or not; sorted when the rows are.
    @exclusivity(unchecked) var updatedIDs: [RecordID] = []
    /// By ordinal, whether an index has the field.
    let isIndexed: [Bool]
    /// For updates; nil while rows are written.
    @exclusivity(unchecked) private var reader: RowReader?
    /// Behind every id that anything is known of.
    @exclusivity(unchecked) private var bound: RecordID?

    init(_ rules: EntityRules, _ layout: StoreLayout, _ gate: RuleGate, bound: RecordID?) {
      self.bound = bound
      self.rules = rules
      entity = rules.entity.number
      records = layout.databases.records[entity]
      allowsInserts = gate.allowsInserts(rules)
      allowsUpdates = gate.allowsUpdates(rules)
      indexes = rules.indexes.map { IndexChanges(database: layout.databases.index($0.index.number)) }
      isIndexed = (0..<rules.draft.fieldCount).map { ordinal in rules.indexes.contains { $0.contains(ordinal) } }
    }
  }
}

// The records that are there already.
extension ChangeBatch.Lane {
  func bound(_ view: TransactionView, _ layout: StoreLayout) throws -> RecordID {
    if let bound { return bound }
    let found = try view.greatestID(of: entity, layout.databases)
    bound = found
    return found
  }

  /// The same with the rows here, which are sorted; nil where it was not asked.
  var boundOfAll: RecordID? { bound.map { max($0, rows.last?.id ?? $0) } }

  /// An id behind which the table has no row. There are new rows only where it was asked for.
  var lastKnownID: RecordID { bound ?? RecordID(high: .max, low: .max) }

  func row(_ id: RecordID, _ view: TransactionView) throws -> RawBytes? {
    if let reader { return try reader.row(id) }
    let opened = try RowReader(records, view)
    reader = opened
    return try opened.row(id)
  }

  /// A cursor must not be open while its table is written.
  func endReading() { reader = nil }
}

// The records that are to be written.
extension ChangeBatch.Lane {
  var isEmpty: Bool { rows.isEmpty && updatedIDs.isEmpty }

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

  /// The record as it will lie in its table; nil if it is not among the rows, which are sorted.
  func row(_ id: RecordID) -> RecordDrafts.Entry? {
    let place = rows.partitionIndex { $0.id >= id }
    return place < rows.count && rows[place].id == id ? rows[place] : nil
  }

  /// Whether a record is among the new ones. The rows are sorted.
  func inserts(_ id: RecordID) -> Bool { hasInserts && row(id)?.isNew ?? false }

  /// Whether a record is among those that were taken with new values.
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

  /// The keys of these indexes are needed now.
  func takeKeys(of positions: some Sequence<Int>) {
    guard !collecting.isEmpty else { return }
    for position in positions {
      if let work = collecting.removeValue(forKey: position) { indexes[position] = work.value() }
    }
  }

  /// Keys are memory that pages can have.
  func endEntering() { indexes = [] }

  /// Forgets ids that no rule asks for.
  func keepRowsAlone() { updatedIDs = [] }
}
