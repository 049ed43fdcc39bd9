import LMDB

/// The short way of a local save that meets nothing special: new records whose unique values are free and whose
/// targets are visible, and new values of attributes that no rule looks at. All or nothing: at the first thing unusual
/// nothing has been written, and the request goes the general way of ``CommitSession``, with the same outcome.
///
/// What is plain is judged by questions of which the general way asks the same and then does nothing, so both leave
/// the same rows, indexes and history; `PlainSaveTests` compares them.
///
/// Cost of a new record, beside its bytes (see ``RecordDrafts``): no value per field; its index keys into one array
/// each, sorted by eight bytes at a time; the row copied once into the page, behind the last one; index entries put in
/// key order by one cursor, which is also how taken unique values are found; its part of history copied from the same
/// bytes, in a large save by another thread while this one writes indexes. Of a rewritten one: one look-up in key order
/// and a copy of the row; index keys only where a field is theirs.
struct PlainSave {
  /// What is the same for all records of one entity. A class: it is looked up once a record, and never copied. One save
  /// uses it, and lends no part of it while it calls: access is not checked at run time.
  fileprivate final class Lane: IndexLane {
    let rules: EntityRules
    let records: Database
    /// Whether new records, and values of old ones, can be plain at all.
    let allowsInserts: Bool
    let allowsUpdates: Bool
    /// By position among the entity's indexes.
    @exclusivity(unchecked) var indexes: [IndexChanges]
    /// In ``parts``.
    @exclusivity(unchecked) var rows: [RecordDrafts.Entry] = []
    /// Of new records, in the order of the request; sorted when the rows are.
    @exclusivity(unchecked) var newIDs: [RecordID] = []
    /// Of records that were looked at for an update; sorted when the rows are.
    @exclusivity(unchecked) var updatedIDs: [RecordID] = []
    /// By ordinal, whether an index has the field.
    let isIndexed: [Bool]
    /// For updates; nil while rows are written.
    @exclusivity(unchecked) var reader: RowReader?
    /// Behind every id that anything is known of.
    @exclusivity(unchecked) var bound: RecordID?

    init(_ rules: EntityRules, _ layout: StoreLayout, _ side: SideEntries) {
      self.rules = rules
      records = layout.databases.records[rules.entity.number]
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

  /// What changed for readers, in the order of the request.
  private(set) var changes: [HistoryChange] = []
  private let layout: StoreLayout
  private let stamp: Stamp
  private let view: TransactionView
  private let side: SideEntries
  /// What other devices must be told, encoded by another thread if it is much; there once all has been taken in.
  private var outgoing: SideWork<[UInt8]>?
  private let encode: @Sendable (OutgoingRecords) -> [UInt8]
  /// The records of the request's changes and edits, then its drafts. They keep the rows' bytes.
  private var parts: [RecordDrafts]
  private var lanes: [Lane?]
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
  private static let largeByteCount = 1 << 18

  /// Carries out a request; nil if it takes the general way. If it throws, the transaction must be undone.
  /// `encode` makes records what other devices are told of.
  init?(
    _ request: SaveRequest, _ layout: StoreLayout, _ stamp: Stamp, in transaction: borrowing WriteTransaction,
    encode: @escaping @Sendable (OutgoingRecords) -> [UInt8]
  ) throws {
    guard request.isPlain else { return nil }
    self.layout = layout
    self.stamp = stamp
    self.encode = encode
    view = transaction.view
    parts = [RecordDrafts(), request.drafts]
    lanes = layout.rules.map { _ in nil }
    side = try SideEntries(view, layout)
    guard try take(request.changes), try take(request.edits), try takeDrafts(), try areTargetsVisible() else {
      return nil
    }
    for case let lane? in lanes { lane.reader = nil }
    let records = OutgoingRecords(parts)
    if HistoryAndStamps.areKept, records.byteCount >= Self.largeByteCount { outgoing = SideWork { encode(records) } }
    guard try lanes.compactMap(\.self).enterUniqueValues(in: transaction) else { return nil }
    try lanes.compactMap(\.self).writeOtherIndexes(in: transaction)
    for case let lane? in lanes { lane.keepRowsAlone() }
  }

  /// How many records other devices must be told of.
  var count: Int { parts.reduce(0) { $0 + $1.count } }

  /// Once.
  func encodedOutgoing() -> [UInt8] { outgoing?.value() ?? encode(OutgoingRecords(parts)) }
}

extension SaveRequest {
  /// Whether it asks for nothing but inserts and updates.
  fileprivate var isPlain: Bool {
    guard isLocalAndOrdinary, !hasNoChanges else { return false }
    return changes.allSatisfy { change in
      switch change {
      case .insert, .update: true
      case .delete, .link, .facts: false
      }
    }
  }
}

// Taking in the request.
extension PlainSave {
  private mutating func take(_ changes: [RecordChange]) throws -> Bool {
    for change in changes {
      switch change {
      case .insert(let entity, let id, let fields):
        guard layout.rules.indices.contains(entity), open(entity) else { return false }
        guard parts[0].append(id, layout.rules[entity].draft, fields), let entry = parts[0].entries.last,
          try takeNew(entry)
        else { return false }
        lanes[entity]?.rows.append(entry)
      case .update(let entity, let id, let fields):
        guard layout.rules.indices.contains(entity), open(entity), try update(entity, id, fields[...]) else {
          return false
        }
      case .delete, .link, .facts: return false
      }
    }
    return true
  }

  private mutating func take(_ edits: RecordEdits) throws -> Bool {
    changes.reserveCapacity(changes.count + edits.entries.count)
    for index in edits.entries.indices {
      let entry = edits.entries[index]
      guard layout.rules.indices.contains(entry.entity), open(entry.entity),
        try update(entry.entity, entry.id, edits.writes(of: index))
      else { return false }
    }
    return true
  }

  private mutating func takeDrafts() throws -> Bool {
    let drafts = parts[1]
    for (entity, draft) in drafts.layouts {
      guard layout.rules.indices.contains(entity), layout.rules[entity].draft == draft, open(entity) else {
        return false
      }
    }
    changes.reserveCapacity(changes.count + drafts.count)
    let only = drafts.layouts.count == 1 ? drafts.layouts.first.flatMap { lanes[$0.key] } : nil
    only?.reserve(drafts.count)
    for entry in drafts.entries {
      guard try takeNew(entry) else { return false }
    }
    if let only, only.rows.isEmpty {
      // Not one by one: as long as nobody sorts them, they are there once.
      only.rows = drafts.entries
    } else {
      for entry in drafts.entries { lanes[EntityNumber(entry.entity)]?.rows.append(entry) }
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

  /// Takes in a new record: its id must be unknown, its unique values are looked at when they are entered.
  private mutating func takeNew(_ entry: RecordDrafts.Entry) throws -> Bool {
    let entity = EntityNumber(entry.entity)
    guard let lane = lanes[entity], lane.allowsInserts, try isUnknown(entry.id, entity, lane) else { return false }
    guard try collectKeys(of: entry.id, RecordView(entry.bytes), lane) else { return false }
    lane.newIDs.append(entry.id)
    changes.append(HistoryChange(kind: .insert, entity: entity, id: entry.id))
    return true
  }

  /// Collects the index keys of a new record; false if an invisible one has a unique value of it.
  private mutating func collectKeys(of id: RecordID, _ record: RecordView, _ lane: Lane) throws -> Bool {
    for position in lane.indexes.indices {
      let isUnique = lane.rules.indexes[position].encode(record, id: id, into: &encoder)
      if isUnique, side.hasClaims {
        let number = lane.rules.indexes[position].number
        let prefix = ClaimTable.prefix(ClaimKey(index: number, bytes: encoder.bytes))
        guard try !view.hasKey(in: layout.databases.claims, startingWith: prefix) else { return false }
      }
      lane.indexes[position].add(encoder, value: isUnique ? id : nil)
    }
    return true
  }

  /// Whether nothing is known under an id: it is behind all that there are, or in none of the tables.
  private func isUnknown(_ id: RecordID, _ entity: EntityNumber, _ lane: Lane) throws -> Bool {
    if side.hasBackReferences, !lane.rules.incoming.isEmpty {
      var prefix: [UInt8] = []
      id.append(to: &prefix)
      guard try !view.hasKey(in: layout.databases.backReferences, startingWith: prefix) else { return false }
    }
    let bound = try lane.bound ?? view.greatestID(of: entity, layout.databases)
    lane.bound = bound
    if id > bound { return true }
    return try id.withRawBytes { key throws in
      try view.get(lane.records, key: key) == nil
        && view.get(layout.databases.hidden, key: HiddenTable.key(RecordKey(entity: entity, id: id))) == nil
        && (!side.hasAliases || view.get(layout.databases.aliases, key: key) == nil)
    }
  }
}

// Updates.
extension PlainSave {
  /// Rewrites a visible record, unless the values are those that it has.
  private mutating func update(
    _ entity: EntityNumber, _ id: RecordID, _ fields: ArraySlice<FieldWrite>
  ) throws -> Bool {
    guard let lane = lanes[entity], lane.allowsUpdates,
      try side.isOnItsOwn(RecordKey(entity: entity, id: id), layout, view), lane.rules.takesPlainly(fields),
      let stored = try lane.row(id, view)
    else { return false }
    lane.updatedIDs.append(id)
    // The general way tells what is wrong with a damaged record.
    do { try RecordFormat.check(stored, id: id, entity: entity) } catch is StoreError { return false }
    let old = RecordView(stored)
    guard RecordRewrite.isPossible(old) else { return false }
    differences.removeAll(keepingCapacity: true)
    for index in fields.indices { differences.append(lane.rules.draft.difference(between: old, and: fields[index])) }
    guard differences.contains(where: { $0 != .none }) else { return true }
    let writes =
      differences.contains(.none) ? zip(fields, differences).filter { $1 != .none }.map(\.0)[...] : fields
    guard rewriter.rewrite(old, id: id, lane.rules.draft, writes, stamp: stamp, into: &parts[0]) else { return false }
    guard let entry = parts[0].entries.last else { return false }
    collectKeys(from: old, to: entry, lane, changing: writes)
    lane.rows.append(entry)
    if differences.contains(.forReaders) {
      noteFields(fields)
      changes.append(HistoryChange(kind: .update, entity: entity, id: id, fields: lastFields))
    }
    return true
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
  /// Brings rows into key order, and says whether every target of a new record is visible, and no id is given twice.
  private mutating func areTargetsVisible() throws -> Bool {
    for case let lane? in lanes where !lane.sort() { return false }
    for case let lane? in lanes {
      guard !lane.rules.references.isEmpty else { continue }
      knownTarget = nil
      for row in lane.rows where row.isNew {
        guard try areTargetsVisible(of: row, lane.rules) else { return false }
      }
    }
    return true
  }

  private mutating func areTargetsVisible(of row: RecordDrafts.Entry, _ rules: EntityRules) throws -> Bool {
    for rule in rules.references {
      let target = RecordView(row.bytes).reference(at: rule.ordinal)
      guard let target, target != knownTarget else { continue }
      guard try isVisible(target, rule) else { return false }
      // Children of one parent stand together. Fields that name other classes name other ids.
      knownTarget = rules.references.count == 1 ? target : nil
    }
    return true
  }

  private func isVisible(_ target: RecordID, _ rule: ReferenceRule) throws -> Bool {
    try target.withRawBytes { key throws in
      if side.hasAliases, try view.get(layout.databases.aliases, key: key) != nil { return false }
      for entity in rule.targets {
        if lanes[entity]?.inserts(target) ?? false { return true }
        if try view.get(layout.databases.records[entity], key: key) != nil { return true }
      }
      return false
    }
  }
}

extension PlainSave.Lane {
  /// Makes room for so many new records, where they are many.
  func reserve(_ count: Int) {
    guard count > 8 else { return }
    newIDs.reserveCapacity(count)
    for position in indexes.indices { indexes[position].reserve(count, keyByteCount: 0) }
  }

  /// Keys and ids are memory that pages can have.
  func keepRowsAlone() { (indexes, newIDs, updatedIDs) = ([], [], []) }

  /// False if an id is there twice among the new ones, or among the updated ones.
  func sort() -> Bool {
    if !zip(rows, rows.dropFirst()).allSatisfy({ $0.id < $1.id }) { rows.sort { $0.id < $1.id } }
    return Self.sort(&newIDs) && Self.sort(&updatedIDs)
  }

  private static func sort(_ ids: inout [RecordID]) -> Bool {
    func isRising() -> Bool { zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } }
    if isRising() { return true }
    ids.sort()
    return isRising()
  }

  func row(_ id: RecordID, _ view: TransactionView) throws -> RawBytes? {
    let reader = try reader ?? RowReader(records, view)
    self.reader = reader
    return try reader.row(id)
  }

  /// Whether a record is among the new ones, which are sorted.
  func inserts(_ id: RecordID) -> Bool {
    var (low, high) = (0, newIDs.count)
    while low < high {
      let middle = (low + high) / 2
      if newIDs[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low < newIDs.count && newIDs[low] == id
  }
}

// Writing.
extension PlainSave {
  /// Writes the records, once history has them: the bytes that it was made of are given back by then, so that a large
  /// save does not hold them beside the rows' pages.
  func writeRows(in transaction: borrowing WriteTransaction) throws {
    for case let lane? in lanes where !lane.rows.isEmpty {
      // Behind everything that is known; there are new rows only where it was asked for.
      var last = lane.bound ?? RecordID(high: .max, low: .max)
      let cursor = try transaction.writeCursor(lane.records)
      for row in lane.rows { last = try write(row, after: last, cursor) }
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
