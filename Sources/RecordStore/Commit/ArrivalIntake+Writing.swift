import LMDB

// What could stand against the new records.
extension ArrivalIntake {
  /// Refuses new records with a target that is not visible.
  private mutating func refuseUnseenTargets() throws {
    for case let lane? in lanes where !lane.rules.references.isEmpty {
      var known: RecordID?
      for row in lane.newRows {
        let entry = drafts.entries[row]
        if try !areTargetsVisible(of: entry, lane.rules, &known) {
          refused.insert(RecordKey(entity: EntityNumber(entry.entity), id: entry.id))
        }
      }
    }
  }

  private func areTargetsVisible(
    of entry: RecordDrafts.Entry, _ rules: EntityRules, _ known: inout RecordID?
  ) throws -> Bool {
    for rule in rules.references {
      guard let target = drafts.withBytes(of: entry, { RecordView($0).reference(at: rule.ordinal) }) else {
        if rule.isRequired { return false }
        continue
      }
      // Children of one parent stand together.
      if target == known { continue }
      guard
        try side.isVisible(target, rule, layout, view, inserts: { lanes[$0]?.inserts(target) ?? false })
      else { return false }
      if rules.references.count == 1 { known = target }
    }
    return true
  }
}

// What was taken, for rules that look at the rest.
extension ArrivalIntake {
  /// What arrived of a record that was taken; nil if none was.
  func taken(_ key: RecordKey) throws -> [RecordArrival]? {
    guard lanes.indices.contains(key.entity), lanes[key.entity] != nil, !asked.contains(key) else { return nil }
    let first = places.partitionIndex { $0.key >= key }
    let end = places[first...].firstIndex { $0.key != key } ?? places.count
    return first == end ? nil : try places[first..<end].map(arrival)
  }

  /// A record as the commit would write it; nil if it changes nothing.
  func written(_ key: RecordKey) throws -> RecordFacts? {
    guard let lane = lanes[key.entity] else { return nil }
    let place = lane.rows.partitionIndex { drafts.entries[$0].id >= key.id }
    guard place < lane.rows.count, case let entry = drafts.entries[lane.rows[place]], entry.id == key.id else {
      return nil
    }
    return try drafts.withBytes(of: entry) { bytes in
      try RecordFacts(decoding: bytes, id: key.id, entity: lane.rules.entity)
    }
  }
}

// Writing.
extension ArrivalIntake {
  /// Writes the index entries of all that was taken.
  mutating func enter(in transaction: borrowing WriteTransaction) throws {
    try refuseUnseenTargets()
    refused.formUnion(try lanes.compactMap(\.self).enterFreeValues(in: transaction))
    try lanes.compactMap(\.self).writeOtherIndexes(in: transaction)
    for case let lane? in lanes { lane.indexes = [] }
    if isWhole { endReading() }
  }

  /// - Parameter returned: records that the session writes instead.
  func writeRows(in transaction: borrowing WriteTransaction, except returned: Set<RecordKey> = []) throws {
    for case let lane? in lanes where !lane.rows.isEmpty {
      var last = try view.lastID(of: lane.records)
      let cursor = try transaction.writeCursor(lane.records)
      for row in lane.rows {
        let entry = drafts.entries[row]
        if !returned.isEmpty, returned.contains(RecordKey(entity: EntityNumber(entry.entity), id: entry.id)) {
          continue
        }
        let mode: WriteTransaction.PutMode = entry.id > last ? .append : .upsert
        try entry.id.withRawBytes { key throws in
          try drafts.withBytes(of: entry) { try cursor.put(key: key, value: $0, mode: mode) }
        }
        last = max(last, entry.id)
      }
    }
  }
}
