import LMDB

/// The short way of a local save that only deletes, where whatever goes along goes by a reference that it cannot be
/// without. All or nothing, as ``PlainSave``: at the first thing unusual nothing has been written, and the request goes
/// the general way.
///
/// Cost of a record that goes, with those that go along: one look-up and a copy of its bytes; for each reference that
/// others may have to it one step through the index over them; its index keys taken out and its row moved in key order.
/// A unique value costs a digest and one look-up more.
struct PlainDelete {
  private struct Leaving {
    let entity: EntityNumber
    let id: RecordID
    /// The place of its new bytes.
    let index: Int
    /// Deleted by the request, not along with another.
    let isAsked: Bool
  }

  /// What changed for readers: what was asked in its order, then what goes along, nearest first.
  private(set) var changes: [HistoryChange] = []
  private let layout: StoreLayout
  private let stamp: Stamp
  private let view: TransactionView
  private let side: SideEntries
  private var leaving: [Leaving] = []
  private var seen: Set<RecordKey> = []
  /// Records above those that were asked for, of which nothing speaks against it.
  private var above: Set<RecordKey> = []
  private var records = RecordDrafts()
  private var indexes: [Int: IndexChanges] = [:]
  private var backReferences: IndexChanges
  private var claims: IndexChanges
  private var encoder = KeyEncoder()

  /// Carries out a request; nil if it takes the general way. If it throws, the transaction must be undone.
  init?(
    _ request: SaveRequest, _ layout: StoreLayout, _ stamp: Stamp, in transaction: borrowing WriteTransaction
  ) throws {
    // A rule of deny makes it matter who lives unseen.
    guard request.onlyDeletes, !layout.hasDenyRules else { return nil }
    self.layout = layout
    self.stamp = stamp
    view = transaction.view
    side = try SideEntries(view, layout)
    backReferences = IndexChanges(database: layout.databases.backReferences)
    claims = IndexChanges(database: layout.databases.claims)
    guard try takeAsked(request.changes), try takeAlong() else { return nil }
    try write(to: transaction)
  }

  /// How many records other devices must be told of: those that were asked for.
  var count: Int { leaving.reduce(0) { $1.isAsked ? $0 + 1 : $0 } }
  var outgoingByteCount: Int { 24 * count }

  func writeOutgoing(to writer: inout ByteWriter) {
    for record in leaving where record.isAsked {
      TransactionCodec.writeDelete(record.entity, record.id, to: &writer)
    }
  }
}

extension SaveRequest {
  fileprivate var onlyDeletes: Bool {
    isLocalAndOrdinary && drafts.count == 0 && !changes.isEmpty
      && changes.allSatisfy { change in
        if case .delete = change { true } else { false }
      }
  }
}

// What goes.
extension PlainDelete {
  private mutating func takeAsked(_ changes: [RecordChange]) throws -> Bool {
    for change in changes {
      guard case .delete(let entity, let id) = change, layout.rules.indices.contains(entity) else { return false }
      let key = RecordKey(entity: entity, id: id)
      guard try side.isOnItsOwn(key, layout, view) else { return false }
      guard layout.rules[entity].goesPlainly else { return false }
      if seen.contains(key) { continue }
      // Gone already: somebody else did it, which is what the caller wants.
      guard let stored = try stored(key) else { continue }
      guard try isNothingAbove(RecordView(stored), layout.rules[entity]), try take(key, stored, isAsked: true) else {
        return false
      }
    }
    return true
  }

  /// Takes those along that cannot be without one that goes.
  private mutating func takeAlong() throws -> Bool {
    var next = 0
    while next < leaving.count {
      let parent = leaving[next]
      next += 1
      for reference in layout.rules[parent.entity].incoming {
        let position = reference.rule.indexPosition
        let index = layout.databases.index(layout.rules[reference.holder].indexes[position].index.number)
        let prefix = ReferenceKey.prefix(parent.id)
        guard reference.rule.hides else {
          // The reference would read as nil from now on, which changes its holder's row.
          if try view.hasKey(in: index, startingWith: prefix) { return false }
          continue
        }
        guard layout.rules[reference.holder].goesPlainly else {
          if try view.hasKey(in: index, startingWith: prefix) { return false }
          continue
        }
        for id in try view.recordIDs(in: index, startingWith: prefix) {
          let key = RecordKey(entity: reference.holder, id: id)
          if seen.contains(key) { continue }
          guard try side.isOnItsOwn(key, layout, view), let stored = try stored(key),
            try take(key, stored, isAsked: false)
          else { return false }
        }
      }
    }
    return true
  }

  private func stored(_ key: RecordKey) throws -> RawBytes? {
    try key.id.withRawBytes { id throws in try view.get(layout.databases.records[key.entity], key: id) }
  }

  /// Notes what goes with a record; false if it, or something about it, is unusual.
  private mutating func take(_ key: RecordKey, _ stored: RawBytes, isAsked: Bool) throws -> Bool {
    // The general way tells what is wrong with a damaged record.
    do { try RecordFormat.check(stored, id: key.id, entity: key.entity) } catch is StoreError { return false }
    let record = RecordView(stored)
    let rules = layout.rules[key.entity]
    guard RecordRewrite.isPossible(record), record.deleted == nil, record.fieldCount == rules.draft.fieldCount,
      record.touch.map({ $0 < stamp }) ?? false,
      !rules.references.contains(where: { record.isDangling(at: $0.ordinal) })
    else { return false }
    guard try takeKeys(of: key, record, rules) else { return false }
    seen.insert(key)
    leaving.append(Leaving(entity: key.entity, id: key.id, index: records.count, isAsked: isAsked))
    let preserved = rules.entity.fields.filter(\.preservesValueOnDeletion).map { field in
      FieldWrite(field.ordinal, record.value(of: field))
    }
    changes.append(HistoryChange(kind: .delete, entity: key.entity, id: key.id, preserved: preserved))
    if isAsked {
      RecordRewrite.delete(record, id: key.id, key.entity, stamp: stamp, into: &records)
    } else {
      // What goes along stays as it was written.
      records.add(key.id, key.entity, stored.count, isNew: false) { $0.copyMemory(from: stored.buffer) }
    }
    return true
  }

  /// Collects the index entries to be taken out and those that stand for what no index shows any more; false if an
  /// invisible record waits for a unique value of this one.
  private mutating func takeKeys(of key: RecordKey, _ record: RecordView, _ rules: EntityRules) throws -> Bool {
    for index in rules.indexes {
      let isUnique = index.encode(record, id: key.id, into: &encoder)
      let number = index.index.number
      indexes[number, default: IndexChanges(database: layout.databases.index(number))].remove(encoder.bytes)
      guard isUnique else { continue }
      let claim = ClaimKey(index: number, bytes: encoder.bytes)
      let prefix = ClaimTable.prefix(claim)
      if side.hasClaims, try view.hasKey(in: layout.databases.claims, startingWith: prefix) { return false }
      claims.add(ClaimTable.key(prefix, id: key.id), value: nil)
    }
    for rule in rules.references {
      guard let target = record.registerReference(at: rule.ordinal) else { continue }
      backReferences.add(BackReferenceTable.key(target: target, holder: key, ordinal: rule.ordinal), value: nil)
    }
    return true
  }

  /// Whether no record that this one may keep alive was ever deleted, at any height.
  private mutating func isNothingAbove(_ record: RecordView, _ rules: EntityRules) throws -> Bool {
    for rule in rules.references where rule.isCascade {
      guard let target = record.reference(at: rule.ordinal) else { continue }
      for entity in rule.targets {
        let key = RecordKey(entity: entity, id: target)
        guard !above.contains(key), let stored = try stored(key) else { continue }
        guard RecordView(stored).deleted == nil else { return false }
        above.insert(key)
        guard try isNothingAbove(RecordView(stored), layout.rules[entity]) else { return false }
      }
    }
    return true
  }
}

extension EntityRules {
  /// Whether records of the entity can go without a question but those that ``PlainDelete`` asks.
  fileprivate var goesPlainly: Bool {
    entity.isDeclared && !cascadesForward && outgoing.isEmpty
      && !references.contains { $0.isExclusive || $0.isContaining || $0.countsHolders }
      && !incoming.contains { $0.rule.isExclusive || $0.rule.isContaining || $0.rule.countsHolders }
  }
}

// Writing.
extension PlainDelete {
  private mutating func write(to transaction: borrowing WriteTransaction) throws {
    for number in indexes.keys.sorted() { try indexes[number]?.write(to: transaction) }
    try backReferences.write(to: transaction)
    try claims.write(to: transaction)
    let ordered = leaving.sorted { $0.entity != $1.entity ? $0.entity < $1.entity : $0.id < $1.id }
    var start = 0
    while start < ordered.count {
      let entity = ordered[start].entity
      let end = ordered[start...].firstIndex { $0.entity != entity } ?? ordered.count
      let rows = try transaction.writeCursor(layout.databases.records[entity])
      for record in ordered[start..<end] { try record.id.withRawBytes { key throws in _ = try rows.delete(key: key) } }
      start = end
    }
    let hidden = try transaction.writeCursor(layout.databases.hidden)
    for record in ordered {
      try HiddenTable.key(RecordKey(entity: record.entity, id: record.id)).withRawBytes { key throws in
        try records.withBytes(of: records.entries[record.index]) { try hidden.put(key: key, value: $0) }
      }
    }
  }
}
