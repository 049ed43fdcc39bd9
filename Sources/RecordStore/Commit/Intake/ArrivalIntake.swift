import LMDB

/// Takes in a merge, and judges each record: those at which no rule looks stay bytes. These are a new record whose
/// unique values are free and were never held, and whose targets are visible; and new values of attributes that no rule
/// concerns. The rest is *asked*: ``CommitSession`` settles it beside what was taken (``PassedArrivals``).
///
/// The questions by which a record is judged are those of the rules, for which they then do nothing. `PlainMergeTests`
/// compares merges that are divided so with those of which the rules look at everything.
///
/// Changes are taken record by record in key order, however many transactions name one. A new record costs its bytes,
/// copied from the transaction into the row, and its index keys. A known one costs one step of a cursor, its checksum,
/// one comparison of stamps a field and a copy of the row; index keys only where a field is theirs. Values are made of
/// what the conflict log must know alone, see ``MetRecord``.
///
/// Everything is judged before anything is written.
struct ArrivalIntake {
  /// The place of one transaction's word on one record.
  struct Place {
    let entity: EntityNumber
    let id: RecordID
    let transaction: Int
    /// In the transaction's bytes.
    let offset: Int

    var key: RecordKey { RecordKey(entity: entity, id: id) }
  }

  /// The changes for readers, in key order.
  private(set) var changes: [HistoryChange] = []
  private(set) var met: [MetRecord] = []
  /// Records that were not taken.
  private(set) var asked: Set<RecordKey> = []
  /// The records that were taken and have changed.
  private(set) var batch: ChangeBatch
  /// How many records were taken.
  private(set) var takenCount = 0
  private let arrivals: EncodedArrivals
  private let layout: StoreLayout
  private let view: TransactionView
  private let gate: RuleGate
  /// In the order of entity, id and transaction.
  private var places: [Place] = []
  private var drafts = RecordDrafts()
  private var join = RecordJoin()
  /// The fields of the record that was joined last; see ``DraftLayout/findDifferences(_:_:written:forReaders:)``.
  private var writtenFields: [Int] = []
  private var changedFields: [Int] = []

  /// Judges all records. `asksAlways`: rules look at each of them.
  init(_ arrivals: EncodedArrivals, _ layout: StoreLayout, _ view: TransactionView, asksAlways: Bool) throws {
    self.arrivals = arrivals
    self.layout = layout
    self.view = view
    gate = try RuleGate(layout, view, isMerge: true)
    batch = ChangeBatch(layout, view, gate)
    try collectPlaces()
    if try asksAlways || arrivals.transactions.contains(where: { $0.head.once != nil })
      || !ForkedStreams(view, layout).isEmpty
    {
      asked = Set(places.map(\.key))
    } else {
      // One after another, so that all of them are lent at once.
      var starts: [Int] = []
      let wire = arrivals.transactions.reduce(into: [UInt8]()) { wire, transaction in
        starts.append(wire.count)
        wire += transaction.bytes
      }
      try wire.withRawBytes { (wire) throws in try judge(Wire(bytes: wire, starts: starts)) }
    }
  }

  /// Whether rules look at nothing of it.
  var isWhole: Bool { asked.isEmpty && batch.refused.isEmpty }

  /// The arrivals of the asked records, transaction by transaction.
  func askedArrivals() throws -> [RecordArrival] {
    guard !asked.isEmpty else { return [] }
    let places = places.filter { asked.contains($0.key) }
    return try places.sorted { ($0.transaction, $0.offset) < ($1.transaction, $1.offset) }.map(arrival)
  }
}

/// The bytes of all transactions, lent for the moment.
private struct Wire {
  let bytes: RawBytes
  /// The start of each transaction.
  let starts: [Int]
}

// Taking in the transactions.
extension ArrivalIntake {
  private mutating func judge(_ wire: Wire) throws {
    var reported = try ReportedRecords(arrivals.reportedPrefix, layout, view)
    var start = 0
    while start < places.count {
      let entity = places[start].entity
      let end = places[start...].firstIndex { $0.entity != entity } ?? places.count
      if let lane = batch.lane(of: entity), lane.allowsInserts || lane.allowsUpdates {
        try judge(start..<end, lane, wire, &reported)
      } else {
        for place in places[start..<end] { asked.insert(place.key) }
      }
      start = end
    }
  }

  /// Brings all records of all transactions into the order of entity, id and transaction.
  private mutating func collectPlaces() throws {
    places.reserveCapacity(arrivals.transactions.reduce(0) { $0 + $1.recordCount })
    for (index, transaction) in arrivals.transactions.enumerated() {
      try transaction.bytes.withRawBytes { (bytes) throws in
        for offset in transaction.recordOffsets {
          var reader = ByteReader(bytes.slice(offset..<bytes.count), subject: "a transaction")
          let author = try reader.readNumber()
          guard author < arrivals.entities.count, let entity = arrivals.entities[author] else { continue }
          places.append(Place(entity: entity.number, id: try reader.readID(), transaction: index, offset: offset))
        }
      }
    }
    if !zip(places, places.dropFirst()).allSatisfy({ !$1.isBefore($0) }) { places.sort { $0.isBefore($1) } }
  }

  private mutating func judge(
    _ range: Range<Int>, _ lane: ChangeBatch.Lane, _ wire: Wire, _ reported: inout ReportedRecords
  ) throws {
    var cursor = try view.cursor(lane.records)
    let bound = try lane.bound(view, layout)
    var start = range.lowerBound
    while start < range.upperBound {
      let id = places[start].id
      var end = start + 1
      while end < range.upperBound, places[end].id == id { end += 1 }
      let isReported = try reported.contains(places[start].key)
      let stored = id > bound ? nil : try id.withRawBytes { key throws in try cursor.seek(exactly: key)?.value }
      let isTaken: Bool
      if let stored {
        isTaken =
          try lane.allowsUpdates && (!isReported || !lane.rules.dependsOnOthers)
          && update(stored, start..<end, lane, wire, isReported)
      } else {
        isTaken =
          try !isReported && lane.allowsInserts
          && gate.isUnknown(id, lane.rules, isBehindAll: id > bound)
          && insert(start..<end, lane, wire)
      }
      if isTaken { takenCount += 1 } else { asked.insert(places[start].key) }
      start = end
    }
  }

  /// Reads what a transaction says of a record into ``join``; the record's flags, or nil where a value is unusual.
  private mutating func read(_ place: Place, _ lane: ChangeBatch.Lane, _ wire: Wire) throws -> UInt8? {
    let start = wire.starts[place.transaction] + place.offset
    var reader = ByteReader(wire.bytes.slice(start..<wire.bytes.count), subject: "a transaction")
    let record = try EncodedRecord(from: &reader)
    guard let ordinals = arrivals.entities[record.entity]?.ordinals else { return nil }
    let layout = lane.rules.draft
    join.registers.removeAll(keepingCapacity: true)
    var last = -1
    for _ in 0..<record.registerCount {
      let register = try EncodedRegister(from: &reader)
      guard register.ordinal < ordinals.count, let ordinal = ordinals[register.ordinal], ordinal > last,
        ordinal < layout.fieldCount
      else { return nil }
      last = ordinal
      if let payload = register.payload {
        guard layout.types[ordinal].isSpelledAsStored(payload) else { return nil }
      } else if layout.isDeclared[ordinal], !layout.isOptional[ordinal] {
        // Another device may have allowed it; here the default stands for it.
        return nil
      }
      join.registers.append(EncodedRegister(ordinal: ordinal, payload: register.payload))
    }
    return record.flags
  }
}

extension ArrivalIntake.Place {
  fileprivate func isBefore(_ other: ArrivalIntake.Place) -> Bool {
    if entity != other.entity { return entity < other.entity }
    return id != other.id ? id < other.id : transaction < other.transaction
  }
}

// New records.
extension ArrivalIntake {
  /// Takes in a record that nothing is known of: its insert, and what later transactions say of it.
  private mutating func insert(_ range: Range<Int>, _ lane: ChangeBatch.Lane, _ wire: Wire) throws -> Bool {
    let place = places[range.lowerBound]
    let flags = try read(place, lane, wire)
    guard flags == TransactionCodec.insertedFlag | TransactionCodec.touchedFlag,
      join.insert(place.id, lane.rules.draft, stamp: stamp(of: place), into: &drafts)
    else { return false }
    for next in range.dropFirst() {
      guard try follow(places[next], lane, wire) != nil else { return false }
    }
    guard let entry = drafts.entries.last else { return false }
    lane.rows.append(entry)
    lane.hasInserts = true
    changes.append(HistoryChange(kind: .insert, entity: place.entity, id: place.id))
    return true
  }

  /// Joins a later transaction to the newest draft; nil if that is unusual.
  private mutating func follow(_ place: Place, _ lane: ChangeBatch.Lane, _ wire: Wire) throws -> RecordJoin.Outcome? {
    guard let entry = drafts.entries.last else { return nil }
    // A copy: the drafts grow while it is read.
    let old = drafts.withBytes(of: entry) { $0.copied() }
    return try old.withRawBytes { (old) throws in
      try joined(to: RecordView(old), isNew: entry.isNew, place, lane, wire)
    }
  }

  /// Joins what a transaction says to a record; nil if that is unusual.
  private mutating func joined(
    to old: RecordView, isNew: Bool = false, _ place: Place, _ lane: ChangeBatch.Lane, _ wire: Wire
  ) throws -> RecordJoin.Outcome? {
    guard let flags = try read(place, lane, wire), flags & ~TransactionCodec.touchedFlag == 0,
      join.registers.allSatisfy({ register in
        lane.rules.draft.types[register.ordinal] != .reference && !lane.rules.uniqueOrdinals.contains(register.ordinal)
      })
    else { return nil }
    let outcome = join.join(
      old, id: place.id, lane.rules.draft, stamp: stamp(of: place), touches: flags != 0, isNew: isNew,
      into: &drafts)
    if case .unusual = outcome { return nil }
    return outcome
  }

  private func stamp(of place: Place) -> Stamp { arrivals.transactions[place.transaction].head.stamp }
}

// Known records.
extension ArrivalIntake {
  private mutating func update(
    _ stored: RawBytes, _ range: Range<Int>, _ lane: ChangeBatch.Lane, _ wire: Wire, _ isReported: Bool
  ) throws -> Bool {
    let place = places[range.lowerBound]
    let key = RecordKey(entity: place.entity, id: place.id)
    guard try gate.isOnItsOwn(key) else { return false }
    // The rules tell what is wrong with a damaged record.
    do { try RecordFormat.check(stored, id: place.id, entity: place.entity) } catch is StoreError { return false }
    let old = RecordView(stored)
    guard RecordRewrite.isPossible(old), old.deleted == nil,
      !lane.rules.references.contains(where: { old.isDangling(at: $0.ordinal) })
    else { return false }
    var isMet = isReported
    var isChanged = false
    for index in range {
      let outcome = isChanged ? try follow(places[index], lane, wire) : try joined(to: old, places[index], lane, wire)
      guard let outcome else { return false }
      if case .joined = outcome { isChanged = true }
      // The question is one of the join: for a method of this value the compiler would copy the value each time.
      if !isMet {
        let head = arrivals.transactions[places[index].transaction].head
        isMet = join.meetsUnseen(old, stamp: head.stamp, context: head.context)
      }
    }
    if isMet { met.append(try metRecord(old, range, lane)) }
    if isChanged { try collectChanges(from: old, place.id, lane) }
    return true
  }

  private func metRecord(_ old: RecordView, _ range: Range<Int>, _ lane: ChangeBatch.Lane) throws -> MetRecord {
    var before = RecordFacts(entity: places[range.lowerBound].entity, id: places[range.lowerBound].id, isInserted: true)
    before.touch = old.touch
    let arrived = try range.map { try arrival(places[$0]) }
    // Those of one transaction rise already.
    let ordinals = arrived.flatMap { $0.facts.registers.map(\.ordinal) }
    before.registers.reserveCapacity(ordinals.count)
    for ordinal in arrived.count > 1 ? Set(ordinals).sorted() : ordinals {
      guard let stamp = old.stamp(at: ordinal),
        let value = old.registerValue(at: ordinal, type: lane.rules.draft.types[ordinal])
      else { continue }
      before.registers.append(RecordFacts.Register(ordinal: ordinal, value: value, stamp: stamp))
    }
    return MetRecord(before: before, arrivals: arrived)
  }

  private func arrival(_ place: Place) throws -> RecordArrival {
    try arrivals.arrival(at: place.offset, of: place.transaction, layout.catalogue)
  }

  /// Notes the row, what readers are told of it, and the index entries that change.
  private mutating func collectChanges(from old: RecordView, _ id: RecordID, _ lane: ChangeBatch.Lane) throws {
    guard let entry = drafts.entries.last else { return }
    lane.rows.append(entry)
    drafts.withBytes(of: entry) {
      lane.rules.draft.findDifferences(old, RecordView($0), written: &writtenFields, forReaders: &changedFields)
    }
    if !changedFields.isEmpty {
      // Most records of a large merge change in the same fields; then they share one array.
      let fields = changes.last?.fields == changedFields ? changes[changes.count - 1].fields : changedFields
      changes.append(
        HistoryChange(kind: .update, entity: lane.entity, id: id, fields: fields))
    }
    batch.collectKeys(from: old, to: entry, lane, changing: writtenFields)
  }
}

// The records that were taken, for rules that look at the rest.
extension ArrivalIntake {
  /// The arrivals of a record that was taken; nil if none was.
  func taken(_ key: RecordKey) throws -> [RecordArrival]? {
    guard batch.lanes.indices.contains(key.entity), batch.lanes[key.entity] != nil, !asked.contains(key) else {
      return nil
    }
    let first = places.partitionIndex { $0.key >= key }
    let end = places[first...].firstIndex { $0.key != key } ?? places.count
    return first == end ? nil : try places[first..<end].map(arrival)
  }

  /// A record as the commit would write it; nil if it changes nothing.
  func written(_ key: RecordKey) throws -> RecordFacts? {
    guard let lane = batch.lanes[key.entity], let row = lane.row(key.id) else { return nil }
    return try RecordFacts(decoding: row.bytes, id: key.id, entity: lane.rules.entity)
  }
}

// Writing.
extension ArrivalIntake {
  /// Writes the index entries of all that was taken.
  mutating func enter(in transaction: borrowing WriteTransaction) throws {
    try batch.refuse()
    let isLarge = arrivals.transactions.contains { $0.bytes.count >= LocalIntake.largeByteCount }
    try batch.enter(keeping: [drafts], isLarge: isLarge, in: transaction)
    // Nobody asks for what was taken.
    if isWhole { places = [] }
  }

  /// - Parameter returned: Records that the session writes instead.
  func writeRows(except returned: Set<RecordKey> = [], in transaction: borrowing WriteTransaction) throws {
    try batch.writeRows(stamp: .zero, except: returned, in: transaction)
  }
}
