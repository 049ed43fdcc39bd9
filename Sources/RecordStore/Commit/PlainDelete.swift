import LMDB

/// The short way of a local save that only deletes, where whatever goes along goes by a reference that it cannot be
/// without. All or nothing: at the first thing unusual nothing has been written, and the request goes
/// the general way.
///
/// Cost of a record that goes, with those that go along: one look-up, within a page where ids follow each other, and a
/// copy of its bytes; for each reference that others may have to it one step through the index over them; its index
/// keys taken out and its row moved in key order. A unique value costs a digest, and where claims are one look-up more.
///
/// Where many go, other threads collect and sort their index keys: of those that were asked for, while what goes along
/// is looked for; of that, while the rows are moved.
struct PlainDelete {
  /// What is the same for all records of one entity. A class: it is looked up once a record, and never copied. One
  /// commit uses it, and lends no part of it while it calls: access is not checked at run time.
  private final class Kind {
    /// A reference that others may have to records of the entity.
    struct Incoming {
      let holder: EntityNumber
      let index: ReferenceReader
      /// Whether the holder goes along.
      let takesAlong: Bool
    }

    let rules: EntityRules
    /// How many fields records of the entity have.
    let fieldCount: Int
    let records: Database
    /// None while rows are written.
    @exclusivity(unchecked) private(set) var incoming: [Incoming]
    /// Nil while rows are written.
    @exclusivity(unchecked) private(set) var reader: RowReader?
    /// What goes, in ``PlainDelete/records``; in the order of ids since reading ended.
    @exclusivity(unchecked) var rows: [RecordDrafts.Entry] = []
    /// Of how many of the rows the keys are collected.
    @exclusivity(unchecked) private var collectedCount = 0
    @exclusivity(unchecked) private var keys: [LeavingKeys] = []
    /// Those that other threads work out: of unique indexes, and all others.
    @exclusivity(unchecked) private var collectingUnique: [SideWork<LeavingKeys>] = []
    @exclusivity(unchecked) private var collecting: [SideWork<LeavingKeys>] = []

    init(_ entity: EntityNumber, _ layout: StoreLayout, _ view: TransactionView) throws {
      rules = layout.rules[entity]
      fieldCount = rules.draft.fieldCount
      records = layout.databases.records[entity]
      incoming = try rules.incoming.map { reference in
        let holder = layout.rules[reference.holder]
        let index = layout.databases.index(holder.indexes[reference.rule.indexPosition].index.number)
        return Incoming(
          holder: reference.holder, index: try ReferenceReader(index, view),
          takesAlong: reference.rule.hides && holder.goesPlainly)
      }
      reader = try RowReader(records, view)
    }

    func endReading() {
      reader = nil
      incoming = []
      rows.sort { $0.id < $1.id }
    }

    /// Collects the keys of the rows that are new here, and whose bytes `drafts` keep. `beside`: other threads do so.
    func collectKeys(of drafts: RecordDrafts, beside: Bool, _ databases: NamedDatabases) {
      guard collectedCount < rows.count else { return }
      let (rows, ordinals) = (Array(rows[collectedCount...]), rules.referenceOrdinals)
      collectedCount += rows.count
      func collect(isUnique: Bool, _ work: @escaping @Sendable () -> LeavingKeys) {
        if !beside { return keys.append(work()) }
        if isUnique { collectingUnique.append(SideWork(work)) } else { collecting.append(SideWork(work)) }
      }
      for index in rules.indexes {
        collect(isUnique: index.index.isUnique) {
          withExtendedLifetime(drafts) { LeavingKeys(of: rows, in: index, databases) }
        }
      }
      guard !ordinals.isEmpty else { return }
      collect(isUnique: false) {
        withExtendedLifetime(drafts) { LeavingKeys(referencesOf: rows, at: ordinals, databases) }
      }
    }

    /// Keys, among them those of all unique indexes, which are waited for.
    func takeUniqueKeys() -> [LeavingKeys] {
      keys += collectingUnique.map { $0.value() }
      collectingUnique = []
      return keys
    }

    /// All keys, which are waited for.
    func takeKeys() -> [LeavingKeys] {
      _ = takeUniqueKeys()
      keys += collecting.map { $0.value() }
      collecting = []
      return keys
    }
  }

  /// What changed for readers: what was asked in its order, then what goes along, nearest first.
  private(set) var changes: [HistoryChange] = []
  private let layout: StoreLayout
  private let stamp: Stamp
  private let view: TransactionView
  private let side: SideEntries
  /// What was asked for, then what goes along, as it will lie among the hidden ones.
  private var records = RecordDrafts()
  private var askedCount = 0
  /// By entity.
  private var seen: [RecordIDSet]
  private var kinds: [Kind?]
  /// Records above those that were asked for, of which nothing speaks against it.
  private var above: Set<RecordKey> = []

  /// From here on other threads pay.
  private static let manyRecords = 256

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
    seen = layout.rules.map { _ in RecordIDSet() }
    kinds = layout.rules.map { _ in nil }
    changes.reserveCapacity(request.changes.count)
    records.reserve(request.changes.count)
    guard try takeAsked(request.changes) else { return nil }
    collectKeys()
    guard try takeAlong() else { return nil }
    collectKeys()
    let kinds = kinds.compactMap(\.self)
    for kind in kinds { kind.endReading() }
    if side.hasClaims {
      for kind in kinds where try kind.takeUniqueKeys().contains(where: { try $0.isAnyClaimed(in: view) }) {
        return nil
      }
    }
    try write(kinds, to: transaction)
  }

  private func collectKeys() {
    for case let kind? in kinds {
      kind.collectKeys(of: records, beside: records.count >= Self.manyRecords, layout.databases)
    }
  }

  /// Those that were asked for: what goes along goes everywhere.
  var outgoing: OutgoingRecords {
    let asked = records.entries[..<askedCount]
    return OutgoingRecords(count: asked.count, byteCount: 24 * asked.count) { writer in
      for record in asked { TransactionCodec.writeDelete(EntityNumber(record.entity), record.id, to: &writer) }
    }
  }
}

extension SaveRequest {
  fileprivate var onlyDeletes: Bool {
    isLocalAndOrdinary && drafts.count == 0 && edits.isEmpty && !changes.isEmpty
      && changes.allSatisfy { change in
        if case .delete = change { true } else { false }
      }
  }
}

// What goes.
extension PlainDelete {
  private mutating func takeAsked(_ changes: [RecordChange]) throws -> Bool {
    if case .delete(let entity, _)? = changes.first, seen.indices.contains(entity) {
      seen[entity].reserve(changes.count)
    }
    for change in changes {
      guard case .delete(let entity, let id) = change, layout.rules.indices.contains(entity) else { return false }
      let key = RecordKey(entity: entity, id: id)
      guard try side.isOnItsOwn(key, layout, view) else { return false }
      let kind = try kind(entity)
      guard kind.rules.goesPlainly else { return false }
      if seen[entity].contains(id) { continue }
      // Gone already: somebody else did it, which is what the caller wants.
      guard let stored = try kind.reader?.row(id) else { continue }
      guard try isNothingAbove(RecordView(stored), kind.rules), try take(key, stored, kind, isAsked: true) else {
        return false
      }
    }
    askedCount = records.count
    return true
  }

  /// Takes those along that cannot be without one that goes.
  private mutating func takeAlong() throws -> Bool {
    var next = 0
    while next < records.count {
      let (parent, entity) = (records.entries[next].id, EntityNumber(records.entries[next].entity))
      next += 1
      let kind = try kind(entity)
      for place in kind.incoming.indices {
        guard try takeHolders(of: parent, by: kind.incoming[place]) else { return false }
      }
    }
    return true
  }

  /// Takes those along that refer to a record.
  private mutating func takeHolders(of parent: RecordID, by reference: Kind.Incoming) throws -> Bool {
    guard var id = try reference.index.first(to: parent) else { return true }
    let kind = try kind(reference.holder)
    // It would read as nil from now on, which changes its holder's row, or its holder goes with more questions.
    guard reference.takesAlong, let reader = kind.reader else { return false }
    while true {
      let key = RecordKey(entity: reference.holder, id: id)
      if !seen[key.entity].contains(id) {
        guard try side.isOnItsOwn(key, layout, view), let stored = try reader.row(id),
          try take(key, stored, kind, isAsked: false)
        else { return false }
      }
      guard let next = try reference.index.next() else { return true }
      id = next
    }
  }

  private mutating func kind(_ entity: EntityNumber) throws -> Kind {
    if let kind = kinds[entity] { return kind }
    let kind = try Kind(entity, layout, view)
    kinds[entity] = kind
    return kind
  }

  private func stored(_ key: RecordKey) throws -> RawBytes? {
    try key.id.withRawBytes { id throws in try view.get(layout.databases.records[key.entity], key: id) }
  }

  /// Notes what goes with a record; false if it, or something about it, is unusual.
  private mutating func take(_ key: RecordKey, _ stored: RawBytes, _ kind: Kind, isAsked: Bool) throws -> Bool {
    // The general way tells what is wrong with a damaged record.
    do { try RecordFormat.check(stored, id: key.id, entity: key.entity) } catch is StoreError { return false }
    let record = RecordView(stored)
    let rules = kind.rules
    guard RecordRewrite.isPossible(record), record.deleted == nil, record.fieldCount == kind.fieldCount,
      record.touch.map({ $0 < stamp }) ?? false,
      !rules.referenceOrdinals.contains(where: { record.isDangling(at: $0) })
    else { return false }
    seen[key.entity].insert(key.id)
    let preserved =
      rules.preservedFields.isEmpty ? [] : rules.preservedFields.map { FieldWrite($0.ordinal, record.value(of: $0)) }
    changes.append(HistoryChange(kind: .delete, entity: key.entity, id: key.id, preserved: preserved))
    if isAsked {
      RecordRewrite.delete(record, id: key.id, key.entity, stamp: stamp, into: &records)
    } else {
      // What goes along stays as it was written.
      records.add(key.id, key.entity, stored.count, isNew: false) { $0.copyMemory(from: stored.buffer) }
    }
    if let entry = records.entries.last { kind.rows.append(entry) }
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

// Writing.
extension PlainDelete {
  /// Rows first: their keys may still be on their way.
  private func write(_ kinds: [Kind], to transaction: borrowing WriteTransaction) throws {
    let hidden = try transaction.writeCursor(layout.databases.hidden)
    for kind in kinds { try move(kind, from: try transaction.writeCursor(kind.records), to: hidden) }
    for kind in kinds {
      for var keys in kind.takeKeys() { try keys.write(to: transaction) }
    }
  }

  /// How keys that rise from this one on enter the table of hidden records.
  private func mode(of first: RawBytes) throws -> WriteTransaction.PutMode {
    var hidden = try view.cursor(layout.databases.hidden)
    let last = try hidden.last()
    return last.map { first.compare($0.key) > 0 } ?? true ? .append : .upsert
  }

  /// Moves the rows of one entity.
  private func move(_ kind: Kind, from rows: borrowing WriteCursor, to hidden: borrowing WriteCursor) throws {
    let leaving = kind.rows
    var steps = DeletionOrder.Steps()
    try DeletionOrder.forEach(leaving.count) { place in
      try leaving[place].id.withRawBytes { key throws in try steps.delete(key, from: rows) }
    }
    var mode: WriteTransaction.PutMode?
    var key = GrowingBytes(capacity: 20)
    for record in leaving {
      key.removeAll()
      key.append(bigEndian: record.entity)
      key.append(record.id)
      try key.withRawBytes { key throws in
        let puts = try mode ?? self.mode(of: key)
        mode = puts
        try records.withBytes(of: record) { try hidden.put(key: key, value: $0, mode: puts) }
      }
    }
  }
}
