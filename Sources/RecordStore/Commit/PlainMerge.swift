import LMDB

/// The short way of a merge that meets nothing special: new records whose unique values are free and were never held,
/// and whose targets are visible; and new values of attributes that no rule looks at. All or nothing:
/// at the first thing unusual nothing has been written, and the transactions take the general way of
/// ``CommitSession``, with the same outcome.
///
/// What is plain is judged by questions of which the general way asks the same and then does nothing. `PlainMergeTests`
/// compares the two ways.
///
/// Changes are taken record by record in key order, however many transactions name one. A new record costs its bytes,
/// copied from the transaction into the row, and its index keys. A known one costs one step of a cursor, its checksum,
/// one comparison of stamps a field and a copy of the row; index keys only where a field is theirs. Values are made of
/// what the conflict log must know alone, see ``MetRecord``.
struct PlainMerge {
  /// What one transaction says of one record.
  fileprivate struct Place {
    let entity: EntityNumber
    let id: RecordID
    let transaction: Int
    /// In all transactions' bytes, see ``PlainMerge/wire``.
    let offset: Int
  }

  /// What changed for readers, by entity and id.
  private(set) var changes: [HistoryChange] = []
  private(set) var met: [MetRecord] = []
  private let arrivals: EncodedArrivals
  private let layout: StoreLayout
  private let view: TransactionView
  private let side: SideEntries
  private let hasHeldKeys: Bool
  private var places: [Place] = []
  private var lanes: [Lane?]
  private var drafts = RecordDrafts()
  private var join = RecordJoin()
  private var encoder = KeyEncoder()
  /// Of the entry that goes where another comes.
  private var oldEncoder = KeyEncoder()

  /// Carries out a merge; nil if it takes the general way. If it throws, the transaction must be undone.
  init?(
    _ arrivals: EncodedArrivals, _ layout: StoreLayout, in transaction: borrowing WriteTransaction
  ) throws {
    self.arrivals = arrivals
    self.layout = layout
    view = transaction.view
    side = try SideEntries(view, layout)
    lanes = layout.rules.map { _ in nil }
    let heldKeys = layout.databases.classTables?.heldKeys
    hasHeldKeys = try heldKeys.map { try transaction.view.statistics($0).entries > 0 } ?? false
    guard arrivals.transactions.allSatisfy({ $0.head.once == nil }), try ForkedStreams(view, layout).isEmpty else {
      return nil
    }
    // One after another, so that all of them are lent at once.
    let wire = arrivals.transactions.reduce(into: [UInt8]()) { $0 += $1.bytes }
    guard try wire.withRawBytes({ (wire) throws in try take(wire) }), try areTargetsVisible(),
      try lanes.compactMap(\.self).enterUniqueValues(in: transaction)
    else { return nil }
    try writeRows(transaction)
    try lanes.compactMap(\.self).writeOtherIndexes(in: transaction)
  }
}

// Taking in the transactions.
extension PlainMerge {
  private mutating func take(_ wire: RawBytes) throws -> Bool {
    guard try collectPlaces(wire) else { return false }
    var reported = try ReportedRecords(arrivals.reportedPrefix, layout, view)
    var start = 0
    while start < places.count {
      let entity = places[start].entity
      let end = places[start...].firstIndex { $0.entity != entity } ?? places.count
      guard let lane = try open(entity), try take(start..<end, lane, wire, &reported) else { return false }
      start = end
    }
    return true
  }

  /// Brings all records of all transactions into the order of entity, id and transaction.
  private mutating func collectPlaces(_ wire: RawBytes) throws -> Bool {
    places.reserveCapacity(arrivals.transactions.reduce(0) { $0 + $1.recordCount })
    var start = 0
    for (index, transaction) in arrivals.transactions.enumerated() {
      let bytes = wire.slice(start..<start + transaction.bytes.count)
      for offset in transaction.recordOffsets {
        var reader = ByteReader(bytes.slice(offset..<bytes.count), subject: "a transaction")
        let author = try reader.readNumber()
        guard author < arrivals.entities.count, let entity = arrivals.entities[author] else { return false }
        let id = try reader.readID()
        places.append(Place(entity: entity.number, id: id, transaction: index, offset: start + offset))
      }
      start += transaction.bytes.count
    }
    if !zip(places, places.dropFirst()).allSatisfy({ !$1.isBefore($0) }) { places.sort { $0.isBefore($1) } }
    return true
  }

  /// Makes an entity's lane; nil if its records need more than this way does.
  private mutating func open(_ entity: EntityNumber) throws -> Lane? {
    guard layout.rules.indices.contains(entity), layout.rules[entity].entity.isDeclared else { return nil }
    let rules = layout.rules[entity]
    // A one-to-one displaces, a containment can close a circle.
    guard !rules.references.contains(where: { $0.isExclusive || $0.isContaining }) else { return nil }
    let lane = try Lane(rules, layout, side, view)
    lanes[entity] = lane
    return lane
  }

  private mutating func take(
    _ range: Range<Int>, _ lane: Lane, _ wire: RawBytes, _ reported: inout ReportedRecords
  ) throws -> Bool {
    var cursor = try view.cursor(lane.records)
    var start = range.lowerBound
    while start < range.upperBound {
      let id = places[start].id
      var end = start + 1
      while end < range.upperBound, places[end].id == id { end += 1 }
      let isReported = try reported.contains(RecordKey(entity: lane.rules.entity.number, id: id))
      let stored = id > lane.bound ? nil : try id.withRawBytes { key throws in try cursor.seek(exactly: key)?.value }
      if let stored {
        guard !isReported || !lane.dependsOnOthers, try update(stored, start..<end, lane, wire, isReported) else {
          return false
        }
      } else {
        guard !isReported, lane.allowsInserts, try isUnknown(id, lane), try insert(start..<end, lane, wire) else {
          return false
        }
      }
      start = end
    }
    return true
  }

  /// Whether nothing is known under an id that has no row.
  private func isUnknown(_ id: RecordID, _ lane: Lane) throws -> Bool {
    if side.hasBackReferences, !lane.rules.incoming.isEmpty {
      var prefix: [UInt8] = []
      id.append(to: &prefix)
      guard try !view.hasKey(in: layout.databases.backReferences, startingWith: prefix) else { return false }
    }
    if id > lane.bound { return true }
    return try id.withRawBytes { key throws in
      let hidden = HiddenTable.key(RecordKey(entity: lane.rules.entity.number, id: id))
      return try view.get(layout.databases.hidden, key: hidden) == nil
        && (!side.hasAliases || view.get(layout.databases.aliases, key: key) == nil)
    }
  }

  /// Reads what a transaction says of a record into ``join``; the record's flags, or nil where a value is unusual.
  private mutating func read(_ place: Place, _ lane: Lane, _ wire: RawBytes) throws -> UInt8? {
    var reader = ByteReader(wire.slice(place.offset..<wire.count), subject: "a transaction")
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

extension PlainMerge.Place {
  func isBefore(_ other: PlainMerge.Place) -> Bool {
    if entity != other.entity { return entity < other.entity }
    return id != other.id ? id < other.id : transaction < other.transaction
  }
}

// New records.
extension PlainMerge {
  /// Takes in a record that nothing is known of: its insert, and what later transactions say of it.
  private mutating func insert(_ range: Range<Int>, _ lane: Lane, _ wire: RawBytes) throws -> Bool {
    let place = places[range.lowerBound]
    let flags = try read(place, lane, wire)
    guard flags == TransactionCodec.insertedFlag | TransactionCodec.touchedFlag,
      join.insert(place.id, lane.rules.draft, stamp: stamp(of: place), into: &drafts)
    else { return false }
    for next in range.dropFirst() {
      guard try follow(places[next], lane, wire) != nil else { return false }
    }
    guard try collectKeys(ofNew: place.id, lane) else { return false }
    lane.rows.append(drafts.count - 1)
    lane.newRows.append(drafts.count - 1)
    lane.newIDs.append(place.id)
    changes.append(HistoryChange(kind: .insert, entity: place.entity, id: place.id))
    return true
  }

  /// Joins a later transaction to the newest draft; nil if that is unusual.
  private mutating func follow(_ place: Place, _ lane: Lane, _ wire: RawBytes) throws -> RecordJoin.Outcome? {
    guard let entry = drafts.entries.last else { return nil }
    // A copy: the drafts grow while it is read.
    let old = drafts.withBytes(of: entry) { $0.copied() }
    return try old.withRawBytes { (old) throws in try joined(to: RecordView(old), place, lane, wire) }
  }

  /// Joins what a transaction says to a record; nil if that is unusual.
  private mutating func joined(
    to old: RecordView, _ place: Place, _ lane: Lane, _ wire: RawBytes
  ) throws -> RecordJoin.Outcome? {
    guard let flags = try read(place, lane, wire), flags & ~TransactionCodec.touchedFlag == 0,
      join.registers.allSatisfy({ register in
        lane.rules.draft.types[register.ordinal] != .reference && !lane.rules.uniqueOrdinals.contains(register.ordinal)
      })
    else { return nil }
    let outcome = join.join(
      old, id: place.id, lane.rules.draft, stamp: stamp(of: place), touches: flags != 0, into: &drafts)
    if case .unusual = outcome { return nil }
    return outcome
  }

  private func stamp(of place: Place) -> Stamp { arrivals.transactions[place.transaction].head.stamp }

  /// Collects the index keys of the newest draft; false if somebody holds a unique value of it unseen, or ever did.
  private mutating func collectKeys(ofNew id: RecordID, _ lane: Lane) throws -> Bool {
    guard let entry = drafts.entries.last else { return false }
    for position in lane.indexes.indices {
      let key = lane.rules.indexes[position]
      let isUnique = drafts.withBytes(of: entry) { key.encode(RecordView($0), id: id, into: &encoder) }
      if isUnique, side.hasClaims || hasHeldKeys {
        let prefix = ClaimTable.prefix(ClaimKey(index: key.index.number, bytes: encoder.bytes))
        if side.hasClaims, try view.hasKey(in: layout.databases.claims, startingWith: prefix) { return false }
        if hasHeldKeys, let table = layout.databases.classTables?.heldKeys,
          try view.hasKey(in: table, startingWith: prefix)
        {
          return false
        }
      }
      lane.indexes[position].add(encoder, value: isUnique ? id : nil)
    }
    return true
  }
}

// Known records.
extension PlainMerge {
  private mutating func update(
    _ stored: RawBytes, _ range: Range<Int>, _ lane: Lane, _ wire: RawBytes, _ isReported: Bool
  ) throws -> Bool {
    let place = places[range.lowerBound]
    let key = RecordKey(entity: place.entity, id: place.id)
    guard try side.isOnItsOwn(key, layout, view) else { return false }
    // The general way tells what is wrong with a damaged record.
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
      isMet = isMet || meetsUnseen(old, places[index])
    }
    if isMet { met.append(try metRecord(old, range, lane, wire)) }
    if isChanged { try collectChanges(from: old, place.id, lane) }
    return true
  }

  /// Whether ``join`` wrote a field that somebody had written unknown to its author, or is beaten by somebody else.
  private func meetsUnseen(_ old: RecordView, _ place: Place) -> Bool {
    let head = arrivals.transactions[place.transaction].head
    return join.registers.contains { register in
      guard let known = old.stamp(at: register.ordinal), known.replica != head.stamp.replica, known != .zero else {
        return false
      }
      return known > head.stamp || !head.context.covers(known)
    }
  }

  private func metRecord(_ old: RecordView, _ range: Range<Int>, _ lane: Lane, _ wire: RawBytes) throws -> MetRecord {
    var before = RecordFacts(entity: places[range.lowerBound].entity, id: places[range.lowerBound].id, isInserted: true)
    before.touch = old.touch
    let arrived = try range.map { index in
      MetRecord.Arrival(transaction: places[index].transaction, facts: try facts(at: places[index], lane, wire))
    }
    for ordinal in Set(arrived.flatMap { $0.facts.registers.map(\.ordinal) }).sorted() {
      guard let stamp = old.stamp(at: ordinal),
        let value = old.registerValue(at: ordinal, type: lane.rules.draft.types[ordinal])
      else { continue }
      before.registers.append(RecordFacts.Register(ordinal: ordinal, value: value, stamp: stamp))
    }
    return MetRecord(before: before, arrivals: arrived)
  }

  /// What a transaction says of a record, as values in this store's numbering.
  private func facts(at place: Place, _ lane: Lane, _ wire: RawBytes) throws -> RecordFacts {
    var reader = ByteReader(wire.slice(place.offset..<wire.count), subject: "a transaction")
    let record = try EncodedRecord(from: &reader)
    let ordinals = arrivals.entities[record.entity]?.ordinals ?? []
    let stamp = stamp(of: place)
    var facts = RecordFacts(entity: place.entity, id: place.id)
    if record.flags & TransactionCodec.touchedFlag != 0 { facts.touch = stamp }
    facts.registers.reserveCapacity(record.registerCount)
    for _ in 0..<record.registerCount {
      let register = try EncodedRegister(from: &reader)
      guard let ordinal = ordinals[register.ordinal] else { continue }
      let type = lane.rules.draft.types[ordinal]
      let value = register.payload.flatMap { FieldValue(encoded: $0, type: type) } ?? .null
      facts.registers.append(RecordFacts.Register(ordinal: ordinal, value: value, stamp: stamp))
    }
    return facts
  }

  /// Notes the row, what readers are told of it, and the index entries that change.
  private mutating func collectChanges(from old: RecordView, _ id: RecordID, _ lane: Lane) throws {
    guard let entry = drafts.entries.last else { return }
    lane.rows.append(drafts.count - 1)
    let (written, changed) = drafts.withBytes(of: entry) { lane.rules.draft.differences(old, RecordView($0)) }
    if !changed.isEmpty {
      // Most records of a large merge change in the same fields; then they share one array.
      let fields = changes.last?.fields == changed ? changes[changes.count - 1].fields : changed
      changes.append(
        HistoryChange(kind: .update, entity: lane.rules.entity.number, id: id, fields: fields))
    }
    for position in lane.indexes.indices {
      let key = lane.rules.indexes[position]
      guard key.index.components.contains(where: { written.contains($0.ordinal) }) else { continue }
      _ = key.encode(old, id: id, into: &oldEncoder)
      let isUnique = drafts.withBytes(of: entry) { key.encode(RecordView($0), id: id, into: &encoder) }
      guard oldEncoder != encoder else { continue }
      lane.indexes[position].remove(oldEncoder)
      lane.indexes[position].add(encoder, value: isUnique ? id : nil)
    }
  }
}

// What could stand against the new records.
extension PlainMerge {
  private func areTargetsVisible() throws -> Bool {
    for case let lane? in lanes where !lane.rules.references.isEmpty {
      var known: RecordID?
      for row in lane.newRows {
        for rule in lane.rules.references {
          let target = drafts.withBytes(of: drafts.entries[row]) { RecordView($0).reference(at: rule.ordinal) }
          guard let target else {
            if rule.isRequired { return false }
            continue
          }
          // Children of one parent stand together.
          if target == known { continue }
          guard try isVisible(target, rule) else { return false }
          if lane.rules.references.count == 1 { known = target }
        }
      }
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

// Writing.
extension PlainMerge {
  private func writeRows(_ transaction: borrowing WriteTransaction) throws {
    for case let lane? in lanes where !lane.rows.isEmpty {
      var last = try view.lastID(of: lane.records)
      let cursor = try transaction.writeCursor(lane.records)
      for row in lane.rows {
        let entry = drafts.entries[row]
        let mode: WriteTransaction.PutMode = entry.id > last ? .append : .upsert
        try entry.id.withRawBytes { key throws in
          try drafts.withBytes(of: entry) { try cursor.put(key: key, value: $0, mode: mode) }
        }
        last = max(last, entry.id)
      }
    }
  }
}
