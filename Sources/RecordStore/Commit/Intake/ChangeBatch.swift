import LMDB

/// The new and rewritten records of a commit at which no rule looks, as the bytes that they will have in their tables.
///
/// An intake judges the records and brings them here (``LocalIntake``, ``ArrivalIntake``). Index entries are written
/// first, because the write itself finds unique values that are taken; rows are written once the rules have settled the
/// rest (``CommitSession``).
///
/// Cost of a new record: its index keys into one array each, sorted by eight bytes at a time and put into the trees in
/// key order; its row copied once into the page. In a large commit other threads collect and sort the keys of all
/// indexes but the first.
struct ChangeBatch {
  /// By entity; nil where no record was judged.
  private(set) var lanes: [Lane?]
  /// Records that are here, and at which a rule looks nevertheless: another record has a unique value of theirs, or a
  /// target is not visible. Their index entries are written.
  private(set) var refused: Set<RecordKey> = []
  let layout: StoreLayout
  let view: TransactionView
  let gate: RuleGate
  private var encoder = KeyEncoder()
  /// The encoder of the entry that goes where another comes.
  private var oldEncoder = KeyEncoder()

  /// By entity, an id behind every one of which anything is known; nil where that must be asked.
  let knownBounds: [RecordID?]

  init(_ layout: StoreLayout, _ view: TransactionView, _ gate: RuleGate, bounds: [RecordID?] = []) {
    self.layout = layout
    self.view = view
    self.gate = gate
    knownBounds = bounds
    lanes = layout.rules.map { _ in nil }
  }

  /// The lane of an entity; nil if the store has no such entity as the schema declares it.
  mutating func lane(of entity: EntityNumber) -> Lane? {
    guard lanes.indices.contains(entity) else { return nil }
    if let lane = lanes[entity] { return lane }
    let rules = layout.rules[entity]
    guard rules.entity.isDeclared else { return nil }
    let lane = Lane(rules, layout, gate, bound: knownBounds.indices.contains(entity) ? knownBounds[entity] : nil)
    lanes[entity] = lane
    return lane
  }

  /// Whether nothing was taken, not even values that a record has already.
  var isEmpty: Bool { lanes.allSatisfy { $0?.isEmpty ?? true } }

  /// Whether nothing is known under an id: it is behind all that there are, or in none of the tables.
  func isUnknown(_ id: RecordID, _ lane: Lane) throws -> Bool {
    let isBehindAll = try id > lane.bound(view, layout)
    guard try isBehindAll || id.withRawBytes({ try view.get(lane.records, key: $0) == nil }) else { return false }
    return try gate.isUnknown(id, lane.rules, isBehindAll: isBehindAll)
  }

  /// Whether a record is among the new ones. The rows are sorted.
  func inserts(_ key: RecordKey) -> Bool {
    guard lanes.indices.contains(key.entity), let lane = lanes[key.entity] else { return false }
    return lane.inserts(key.id)
  }

  /// Collects the index entries that change where a record is rewritten with other values of some fields.
  mutating func collectKeys(
    from old: RecordView, to entry: RecordDrafts.Entry, _ lane: Lane, changing ordinals: some Sequence<Int>
  ) {
    guard ordinals.contains(where: { lane.isIndexed[$0] }) else { return }
    for position in lane.indexes.indices {
      let key = lane.rules.indexes[position]
      guard ordinals.contains(where: { key.contains($0) }) else { continue }
      _ = key.encode(old, id: entry.id, into: &oldEncoder)
      let isUnique = key.encode(RecordView(entry.bytes), id: entry.id, into: &encoder)
      guard oldEncoder != encoder else { continue }
      lane.indexes[position].remove(oldEncoder)
      lane.indexes[position].add(encoder, value: isUnique ? entry.id : nil)
    }
  }

  /// The bounds once the rows are written, which are sorted.
  var bounds: [RecordID?] {
    lanes.indices.map { entity in
      guard let lane = lanes[entity] else { return knownBounds.indices.contains(entity) ? knownBounds[entity] : nil }
      return lane.boundOfAll
    }
  }

  /// Brings rows into key order; false if an id is given twice.
  func sortRows() -> Bool {
    for case let lane? in lanes where !lane.sort() { return false }
    return true
  }
}

// The checks of what could stand against the new records.
extension ChangeBatch {
  /// Refuses new records with a target that is not visible, or with a unique value that an invisible record has.
  mutating func refuse() throws {
    for case let lane? in lanes where lane.hasInserts {
      if !lane.rules.references.isEmpty { try refuseUnseenTargets(lane) }
      if gate.hasHeldValues { try refuseHeldValues(lane) }
    }
  }

  /// Refuses new records with a unique value that is taken, too, and leaves out all that are refused, and those that
  /// refer to them: nothing of them is written. Returns them. The rows are sorted.
  mutating func leaveOutRefused() throws -> Set<RecordKey> {
    var all: Set<RecordKey> = []
    repeat {
      refused = []
      try refuse()
      for case let lane? in lanes where lane.hasInserts { try refuseTakenValues(lane) }
      guard !refused.isEmpty else { continue }
      for case let lane? in lanes {
        lane.rows.removeAll { refused.contains(RecordKey(entity: lane.entity, id: $0.id)) }
      }
      all.formUnion(refused)
    } while !refused.isEmpty
    return all
  }

  private mutating func refuse(_ row: RecordDrafts.Entry) {
    refused.insert(RecordKey(entity: EntityNumber(row.entity), id: row.id))
  }

  private mutating func refuseUnseenTargets(_ lane: Lane) throws {
    var known: RecordID?
    for row in lane.rows where row.isNew {
      if try !areTargetsVisible(of: row, lane.rules, &known) { refuse(row) }
    }
  }

  private func areTargetsVisible(
    of row: RecordDrafts.Entry, _ rules: EntityRules, _ known: inout RecordID?
  ) throws -> Bool {
    for rule in rules.references {
      guard let target = RecordView(row.bytes).reference(at: rule.ordinal) else {
        if rule.isRequired { return false }
        continue
      }
      if target == known { continue }
      guard
        try gate.isVisible(target, rule, inserts: { inserts(RecordKey(entity: $0, id: target)) })
      else { return false }
      // Children of one parent stand together. Fields that name other classes name other ids.
      known = rules.references.count == 1 ? target : nil
    }
    return true
  }

  private mutating func refuseHeldValues(_ lane: Lane) throws {
    for position in lane.rules.uniquePositions {
      let index = lane.rules.indexes[position]
      for row in lane.rows where row.isNew {
        guard index.encode(RecordView(row.bytes), id: row.id, into: &encoder) else { continue }
        if try gate.isHeld(encoder, in: index) { refuse(row) }
      }
    }
  }
}

extension ChangeBatch {
  /// A value that two of them have is the first one's. Values with equal checksums count as one: the rules then look at
  /// one record more, and find nothing.
  private mutating func refuseTakenValues(_ lane: Lane) throws {
    for position in lane.rules.uniquePositions {
      let (index, database) = (lane.rules.indexes[position], lane.indexes[position].database)
      var seen = Set<UInt32>(minimumCapacity: lane.rows.count)
      for row in lane.rows {
        guard index.encode(RecordView(row.bytes), id: row.id, into: &encoder) else { continue }
        let isTaken = try encoder.withRawBytes { key throws in
          let isNew = seen.insert(key.checksum).inserted
          return try !isNew || view.get(database, key: key) != nil
        }
        if isTaken { refuse(row) }
      }
    }
  }
}

// Writing.
extension ChangeBatch {
  /// Writes the index entries. Unique values come first: a taken one is found by the write itself, and its record is
  /// refused.
  ///
  /// - Parameters:
  ///   - parts: The keepers of the rows' bytes.
  ///   - isLarge: Whether other threads collect keys.
  mutating func enter(keeping parts: [RecordDrafts], isLarge: Bool, in transaction: borrowing WriteTransaction) throws {
    try enterUniqueValues(keeping: parts, isLarge: isLarge, in: transaction)
    try forEachOtherIndex { lane, position in try lane.indexes[position].write(to: transaction) }
  }

  /// As ``enter(keeping:isLarge:in:)``, but gives the entries of indexes without unique values to `gathered`.
  mutating func enter(
    keeping parts: [RecordDrafts], isLarge: Bool, gathering gathered: inout GatheredEntries,
    in transaction: borrowing WriteTransaction
  ) throws {
    try enterUniqueValues(keeping: parts, isLarge: isLarge, in: transaction)
    forEachOtherIndex { lane, position in gathered.take(lane.indexes[position]) }
  }

  private mutating func enterUniqueValues(
    keeping parts: [RecordDrafts], isLarge: Bool, in transaction: borrowing WriteTransaction
  ) throws {
    for case let lane? in lanes { lane.collectKeys(of: parts, beside: isLarge, &encoder) }
    for case let lane? in lanes {
      lane.takeKeys(of: lane.rules.uniquePositions)
      for position in lane.rules.uniquePositions {
        for id in try lane.indexes[position].addFree(to: transaction) {
          refused.insert(RecordKey(entity: lane.entity, id: id))
        }
      }
    }
  }

  /// Calls `body` with each index without unique values, whose keys are collected, and keeps no keys then.
  private func forEachOtherIndex(_ body: (Lane, _ position: Int) throws -> Void) rethrows {
    for case let lane? in lanes {
      lane.takeKeys(of: lane.indexes.indices)
      for position in lane.indexes.indices where !lane.rules.uniquePositions.contains(position) {
        try body(lane, position)
      }
      lane.endEntering()
    }
  }

  /// Writes the rows. In a large save this comes after history, whose bytes are given back by then.
  ///
  /// - Parameters:
  ///   - stamp: The stamp of new records that have none yet.
  ///   - returned: Records that the session writes instead.
  func writeRows(
    stamp: Stamp, except returned: Set<RecordKey> = [], in transaction: borrowing WriteTransaction
  ) throws {
    for case let lane? in lanes where !lane.rows.isEmpty {
      var last = lane.lastKnownID
      let cursor = try transaction.writeCursor(lane.records)
      for row in lane.rows {
        if !returned.isEmpty, returned.contains(RecordKey(entity: lane.entity, id: row.id)) { continue }
        let mode: WriteTransaction.PutMode = row.id > last ? .append : .upsert
        try row.id.withRawBytes { key throws in
          try cursor.reserve(key: key, count: Int(row.count), mode: mode) {
            RecordDrafts.finish(row, stamp: stamp, into: $0)
          }
        }
        last = max(last, row.id)
      }
    }
  }
}
