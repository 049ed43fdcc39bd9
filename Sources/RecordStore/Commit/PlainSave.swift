import LMDB

/// The short way of those records of a local save at which no rule looks: new ones whose unique values are free and
/// whose targets are visible, and new values of attributes that no rule concerns.
///
/// Each record is judged for itself, by questions that the general way asks, too, and then does nothing. What passes is
/// taken here. ``CommitSession`` carries out the rest beside it (``PassedChanges``). Both ways leave the same rows,
/// indexes and history, however a save is divided; `PlainSaveTests` compares them.
///
/// Cost of a new record, beside its bytes (see ``RecordDrafts``): no value per field; its index keys into one array
/// each, sorted by eight bytes at a time; the row copied once into the page, behind the last one; index entries put in
/// key order by one cursor, which is also how taken unique values are found; its part of history copied from the same
/// bytes. In a large save other threads do the last, and the keys of all indexes but the first, while this one writes
/// indexes. Of a rewritten one: one look-up in key order and a copy of the row; index keys only where a field is
/// theirs.
struct PlainSave {
  /// What changed for readers, in the order of the request.
  private(set) var changes: [HistoryChange] = []
  /// Places in the request of the changes that were not taken, rising.
  private(set) var asked: [Int] = []
  /// Records that were taken, and at which a rule looks nevertheless: another record has a unique value of theirs, or a
  /// target is not visible. Their index entries are written.
  private(set) var refused: Set<RecordKey> = []
  let layout: StoreLayout
  let stamp: Stamp
  private let view: TransactionView
  private let side: SideEntries
  /// Records that the request deletes or links, whatever else it does to them: rules look at them.
  private let named: Set<RecordID>
  /// What other devices must be told, encoded by another thread if it is much; there once all has been taken in.
  private var outgoing: SideWork<[UInt8]>?
  private let encode: @Sendable (OutgoingRecords) -> [UInt8]
  /// The records of the request's changes and edits, then its drafts. They keep the rows' bytes.
  private(set) var parts: [RecordDrafts]
  private(set) var lanes: [Lane?]
  private var encoder = KeyEncoder()
  /// Of the entry that goes where another comes.
  private var oldEncoder = KeyEncoder()
  private var rewriter = RecordRewrite()
  private var knownTarget: RecordID?
  /// The changed fields of the last update: often those of the next.
  private var lastFields: [Int] = []
  /// Memory for the update at hand.
  private var differences: [DraftLayout.Difference] = []

  /// From here on another thread pays.
  static let largeByteCount = 1 << 18

  /// Takes what passes of a request and writes its index entries; nil, with nothing written, if rules must look at all
  /// of it. If it throws, the transaction must be undone. `encode` makes records what other devices are told of.
  init?(
    _ request: SaveRequest, _ layout: StoreLayout, _ stamp: Stamp, in transaction: borrowing WriteTransaction,
    encode: @escaping @Sendable (OutgoingRecords) -> [UInt8]
  ) throws {
    guard request.isDivisible else { return nil }
    self.layout = layout
    self.stamp = stamp
    self.encode = encode
    named = request.namedRecords
    view = transaction.view
    parts = [RecordDrafts(), request.drafts]
    lanes = layout.rules.map { _ in nil }
    side = try SideEntries(view, layout)
    try take(request.changes)
    try take(request.edits, after: request.changes.count)
    guard try takeDrafts(after: request.changes.count + request.edits.entries.count), hasRows || asked.isEmpty,
      sortRows()
    else { return nil }
    try refuseUnseenTargets()
    try refuseClaimed()
    for case let lane? in lanes { lane.reader = nil }
    let records = OutgoingRecords(parts)
    let isLarge = records.byteCount >= Self.largeByteCount
    // History first: it takes longest, and is written before the rows.
    if HistoryAndStamps.areKept, isLarge, isWhole { outgoing = SideWork { encode(records) } }
    for case let lane? in lanes { lane.collectKeys(of: parts, beside: isLarge, &encoder) }
    for case let lane? in lanes { lane.takeKeys(of: lane.rules.uniquePositions) }
    refused.formUnion(try lanes.compactMap(\.self).enterFreeValues(in: transaction))
    for case let lane? in lanes { lane.takeKeys(of: lane.indexes.indices) }
    try lanes.compactMap(\.self).writeOtherIndexes(in: transaction)
    for case let lane? in lanes { lane.keepRowsAlone(isWhole: isWhole) }
  }

  /// Whether all of the request was taken.
  var isWhole: Bool { asked.isEmpty && refused.isEmpty }

  private var hasRows: Bool { lanes.contains { $0.map { !$0.rows.isEmpty } ?? false } }

  /// How many records other devices must be told of.
  var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// Once.
  func encodedOutgoing() -> [UInt8] { outgoing?.value() ?? encode(OutgoingRecords(parts)) }
}

extension SaveRequest {
  /// Whether some of its records may go without a look at rules.
  fileprivate var isDivisible: Bool {
    guard isLocalAndOrdinary else { return false }
    return !edits.isEmpty || drafts.count > 0
      || changes.contains { change in
        switch change {
        case .insert, .update: true
        case .delete, .link, .facts: false
        }
      }
  }

  fileprivate var namedRecords: Set<RecordID> {
    var named: Set<RecordID> = []
    for change in changes {
      switch change {
      case .delete(_, let id): named.insert(id)
      case .link(_, let id, _, let other, _): named.formUnion([id, other])
      case .insert, .update, .facts: continue
      }
    }
    return named
  }
}

// Taking in the request.
extension PlainSave {
  private mutating func take(_ changes: [RecordChange]) throws {
    for (place, change) in changes.enumerated() where try !take(change) { asked.append(place) }
  }

  private mutating func take(_ change: RecordChange) throws -> Bool {
    switch change {
    case .insert(let entity, let id, let fields):
      guard layout.rules.indices.contains(entity), open(entity), let lane = lanes[entity],
        try isNew(id, lane), parts[0].append(id, layout.rules[entity].draft, fields), let entry = parts[0].entries.last
      else { return false }
      note(entry, lane)
      lane.rows.append(entry)
      return true
    case .update(let entity, let id, let fields):
      guard layout.rules.indices.contains(entity), open(entity), let lane = lanes[entity] else { return false }
      return try update(id, lane, fields[...])
    case .delete, .link, .facts: return false
    }
  }

  private mutating func take(_ edits: RecordEdits, after start: Int) throws {
    changes.reserveCapacity(changes.count + edits.entries.count)
    var lane: Lane?
    for index in edits.entries.indices {
      let entry = edits.entries[index]
      if lane?.entity != entry.entity {
        lane = nil
        if layout.rules.indices.contains(entry.entity), open(entry.entity) { lane = lanes[entry.entity] }
        if let lane, edits.entries.count > 8 { lane.reserve(edits.entries.count) }
      }
      guard let lane, try update(entry.id, lane, edits.writes(of: index)) else {
        asked.append(start + index)
        continue
      }
    }
  }

  /// False if drafts were made for another schema.
  private mutating func takeDrafts(after start: Int) throws -> Bool {
    let drafts = parts[1]
    for (entity, draft) in drafts.layouts {
      guard layout.rules.indices.contains(entity), layout.rules[entity].draft == draft, open(entity) else {
        return false
      }
    }
    changes.reserveCapacity(changes.count + drafts.count)
    let askedBefore = asked.count
    var lane: Lane?
    for (index, entry) in drafts.entries.enumerated() {
      if lane?.entity != EntityNumber(entry.entity) { lane = lanes[EntityNumber(entry.entity)] }
      if let lane, try isNew(entry.id, lane) { note(entry, lane) } else { asked.append(start + index) }
    }
    // Of one entity, as mostly, they are its rows as they are: as long as nobody sorts them, they are there once.
    if let lane, drafts.layouts.count == 1, lane.rows.isEmpty, asked.count == askedBefore {
      lane.rows = drafts.entries
    } else {
      var left = asked[askedBefore...]
      for (index, entry) in drafts.entries.enumerated() {
        if left.first == start + index {
          left.removeFirst()
        } else {
          lanes[EntityNumber(entry.entity)]?.rows.append(entry)
        }
      }
    }
    return true
  }

  /// Makes an entity's lane; false if the store has no such entity as the schema declares it.
  private mutating func open(_ entity: EntityNumber) -> Bool {
    if lanes[entity] != nil { return true }
    let rules = layout.rules[entity]
    guard rules.entity.isDeclared else { return false }
    lanes[entity] = Lane(rules, layout, side)
    return true
  }

  /// Whether a record can be new. Its unique values are looked at when they are entered.
  private func isNew(_ id: RecordID, _ lane: Lane) throws -> Bool {
    try lane.allowsInserts && !isNamed(id) && isUnknown(id, lane)
  }

  private func isNamed(_ id: RecordID) -> Bool { !named.isEmpty && named.contains(id) }

  private mutating func note(_ entry: RecordDrafts.Entry, _ lane: Lane) {
    changes.append(HistoryChange(kind: .insert, entity: lane.entity, id: entry.id))
    lane.hasInserts = true
  }

  /// Whether nothing is known under an id: it is behind all that there are, or in none of the tables.
  private func isUnknown(_ id: RecordID, _ lane: Lane) throws -> Bool {
    let isBehindAll = try id > lane.bound(view, layout)
    guard try isBehindAll || id.withRawBytes({ try view.get(lane.records, key: $0) == nil }) else { return false }
    return try side.isUnknown(id, lane.rules, layout, view, isBehindAll: isBehindAll)
  }
}

// Updates.
extension PlainSave {
  /// Rewrites a visible record, unless the values are those that it has.
  private mutating func update(_ id: RecordID, _ lane: Lane, _ fields: ArraySlice<FieldWrite>) throws -> Bool {
    let rules = lane.rules
    guard lane.allowsUpdates, !isNamed(id), try side.isOnItsOwn(RecordKey(entity: lane.entity, id: id), layout, view),
      rules.takesPlainly(fields), let stored = try lane.row(id, view)
    else { return false }
    // The general way tells what is wrong with a damaged record.
    do { try RecordFormat.check(stored, id: id, entity: lane.entity) } catch is StoreError { return false }
    let old = RecordView(stored)
    guard RecordRewrite.isPossible(old) else { return false }
    compare(old, with: fields, rules.draft)
    guard differences.contains(where: { $0 != .none }) else {
      lane.updatedIDs.append(id)
      return true
    }
    let writes =
      differences.contains(.none) ? zip(fields, differences).filter { $1 != .none }.map(\.0)[...] : fields
    guard rewriter.rewrite(old, id: id, rules.draft, writes, stamp: stamp, into: &parts[0]) else { return false }
    guard let entry = parts[0].entries.last else { return false }
    lane.updatedIDs.append(id)
    collectKeys(from: old, to: entry, lane, changing: writes)
    lane.rows.append(entry)
    if differences.contains(.forReaders) {
      noteFields(fields)
      changes.append(HistoryChange(kind: .update, entity: lane.entity, id: id, fields: lastFields))
    }
    return true
  }

  /// Fills ``differences``, whose memory mostly fits: a save sets the same attributes of many objects.
  private mutating func compare(_ old: RecordView, with fields: ArraySlice<FieldWrite>, _ draft: DraftLayout) {
    if differences.count != fields.count { differences = fields.map { _ in .none } }
    for place in differences.indices {
      differences[place] = draft.difference(between: old, and: fields[fields.startIndex + place])
    }
  }

  /// A save that sets one attribute of many records names it once.
  private mutating func noteFields(_ fields: ArraySlice<FieldWrite>) {
    let start = fields.startIndex
    var count = 0
    for place in differences.indices where differences[place] == .forReaders {
      if count < lastFields.count, lastFields[count] != fields[start + place].ordinal { break }
      count += 1
    }
    if count == lastFields.count { return }
    lastFields = differences.indices.compactMap {
      differences[$0] == .forReaders ? fields[start + $0].ordinal : nil
    }
  }

  /// Collects the index entries that change with some fields of a record, from its bytes before and after.
  private mutating func collectKeys(
    from old: RecordView, to entry: RecordDrafts.Entry, _ lane: Lane, changing writes: ArraySlice<FieldWrite>
  ) {
    guard writes.contains(where: { lane.isIndexed[$0.ordinal] }) else { return }
    for position in lane.indexes.indices {
      let key = lane.rules.indexes[position]
      guard writes.contains(where: { key.contains($0.ordinal) }) else { continue }
      _ = key.encode(old, id: entry.id, into: &oldEncoder)
      let isUnique = key.encode(RecordView(entry.bytes), id: entry.id, into: &encoder)
      guard oldEncoder != encoder else { continue }
      lane.indexes[position].remove(oldEncoder)
      lane.indexes[position].add(encoder, value: isUnique ? entry.id : nil)
    }
  }
}

extension EntityRules {
  /// Whether some fields may take these values without a question to any rule.
  fileprivate func takesPlainly(_ writes: ArraySlice<FieldWrite>) -> Bool {
    var last = -1
    for write in writes {
      let ordinal = write.ordinal
      guard ordinal > last, ordinal < isPlain.count, isPlain[ordinal] else { return false }
      guard write.value.type.map({ $0 == draft.types[ordinal] }) ?? draft.isOptional[ordinal] else { return false }
      last = ordinal
    }
    return true
  }
}

extension DraftLayout {
  fileprivate enum Difference {
    case none
    /// Other bits, which are equal as values are compared: nothing that a reader of history is told.
    case inBits
    case forReaders
  }

  /// What a write would change of what readers see of a field.
  fileprivate func difference(between old: RecordView, and write: FieldWrite) -> Difference {
    let ordinal = write.ordinal
    // Texts are compared where they lie.
    if case .string(let text) = write.value, let bytes = old.fieldBytes(at: ordinal) {
      if text.withRawBytes({ $0 == bytes }) { return .none }
      return text.isEqual(toEncoded: bytes) ? .inBits : .forReaders
    }
    let isAbsent = old.isDefaulted(at: ordinal, isOptional: isOptional[ordinal])
    let value = isAbsent ? absent[ordinal] : old.value(at: ordinal, type: types[ordinal])
    if value.isIdentical(to: write.value) { return .none }
    return value == write.value ? .inBits : .forReaders
  }
}

// What could stand against the new records.
extension PlainSave {
  /// Brings rows into key order; false if an id is given twice.
  private func sortRows() -> Bool {
    for case let lane? in lanes where !lane.sort() { return false }
    return true
  }

  private mutating func refuse(_ row: RecordDrafts.Entry) {
    refused.insert(RecordKey(entity: EntityNumber(row.entity), id: row.id))
  }

  /// Refuses new records with a target that is not visible.
  private mutating func refuseUnseenTargets() throws {
    for case let lane? in lanes {
      guard !lane.rules.references.isEmpty else { continue }
      knownTarget = nil
      for row in lane.rows where row.isNew {
        if try !areTargetsVisible(of: row, lane.rules) { refuse(row) }
      }
    }
  }

  private mutating func areTargetsVisible(of row: RecordDrafts.Entry, _ rules: EntityRules) throws -> Bool {
    for rule in rules.references {
      let target = RecordView(row.bytes).reference(at: rule.ordinal)
      guard let target, target != knownTarget else { continue }
      guard
        try side.isVisible(target, rule, layout, view, inserts: { lanes[$0]?.inserts(target) ?? false })
      else { return false }
      // Children of one parent stand together. Fields that name other classes name other ids.
      knownTarget = rules.references.count == 1 ? target : nil
    }
    return true
  }

  /// Refuses new records of which an invisible record has a unique value.
  private mutating func refuseClaimed() throws {
    guard side.hasClaims else { return }
    for case let lane? in lanes where lane.hasInserts {
      for position in lane.rules.uniquePositions {
        let index = lane.rules.indexes[position]
        for row in lane.rows where row.isNew {
          guard index.encode(RecordView(row.bytes), id: row.id, into: &encoder) else { continue }
          let prefix = ClaimTable.prefix(ClaimKey(index: index.number, bytes: encoder.bytes))
          if try view.hasKey(in: layout.databases.claims, startingWith: prefix) { refuse(row) }
        }
      }
    }
  }
}

// Writing.
extension PlainSave {
  /// Writes the records, once history has them: the bytes that it was made of are given back by then, so that a large
  /// save does not hold them beside the rows' pages.
  ///
  /// - Parameter returned: records that the general way writes instead.
  func writeRows(in transaction: borrowing WriteTransaction, except returned: Set<RecordKey> = []) throws {
    for case let lane? in lanes where !lane.rows.isEmpty {
      // Behind everything that is known; there are new rows only where it was asked for.
      var last = lane.bound ?? RecordID(high: .max, low: .max)
      let cursor = try transaction.writeCursor(lane.records)
      for row in lane.rows {
        if !returned.isEmpty, returned.contains(RecordKey(entity: lane.entity, id: row.id)) { continue }
        last = try write(row, after: last, cursor)
      }
    }
  }

  /// Returns the greatest id of the table.
  private func write(
    _ row: RecordDrafts.Entry, after last: RecordID, _ cursor: borrowing WriteCursor
  ) throws -> RecordID {
    let mode: WriteTransaction.PutMode = row.id > last ? .append : .upsert
    try row.id.withRawBytes { key throws in
      try cursor.reserve(key: key, count: Int(row.count), mode: mode) {
        RecordDrafts.finish(row, stamp: stamp, into: $0)
      }
    }
    return max(last, row.id)
  }
}
