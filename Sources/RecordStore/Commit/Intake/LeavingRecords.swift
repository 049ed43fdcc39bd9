import LMDB

/// The records that go by a local save's deletes without a question to the rules: each *root*, whose delete was asked
/// for, and what goes along with it by references that it cannot be without.
///
/// A root is taken with all that goes along, or not at all. Nothing is written before the rules have settled the rest
/// of the save, so whatever they look at is there as it was, and its root's delete is given back.
///
/// Cost of a record that goes: one look-up, within a page where ids follow each other, and a copy of its bytes; for
/// each reference that others may have to it one step through the index over them; its index keys taken out and its row
/// moved in key order. A unique value costs a digest, and where claims are one look-up more.
///
/// Where many go, other threads collect and sort their index keys: of the roots while what goes along is looked for, of
/// that while the rows are moved.
struct LeavingRecords {
  /// A delete of the request.
  struct Root {
    /// In the request.
    let place: Int
    let key: RecordKey
  }

  /// The roots, then what goes along, as they will lie among the hidden ones.
  private(set) var records = RecordDrafts()
  /// The changes for readers, record by record.
  private(set) var changes: [HistoryChange] = []
  /// Rising by place. The first of ``records`` are theirs, in this order.
  private(set) var roots: [Root] = []
  private let layout: StoreLayout
  private let view: TransactionView
  private let gate: RuleGate
  private let stamp: Stamp
  /// The index of each record's root.
  private var owners: [Int32] = []
  /// By entity.
  private var seen: [RecordIDSet] = []
  private var lanes: [Lane?] = []
  /// Records above the roots, of which nothing speaks against it.
  private var above: Set<RecordKey> = []
  /// Records that the save changes otherwise.
  private var others = RecordIDSet()

  /// From here on other threads pay.
  private static let manyRecords = 256

  init(_ layout: StoreLayout, _ view: TransactionView, _ gate: RuleGate, _ stamp: Stamp) {
    self.layout = layout
    self.view = view
    self.gate = gate
    self.stamp = stamp
  }

  var isEmpty: Bool { records.count == 0 }

  /// Judges deletes, and returns the places of those that rules must look at.
  ///
  /// - Parameters:
  ///   - others: Records that the save changes otherwise. None of them goes here.
  ///   - targets: Records that its other changes name. None of them goes here either.
  mutating func take(
    _ deletes: [Root], beside others: RecordIDSet = RecordIDSet(), naming targets: RecordIDSet = RecordIDSet()
  ) throws -> [Int] {
    // A rule of deny makes lives matter that are not seen.
    guard !layout.hasDenyRules else { return deletes.map(\.place) }
    self.others = others
    seen = layout.rules.map { _ in RecordIDSet() }
    lanes = layout.rules.map { _ in nil }
    records.reserve(deletes.count)
    changes.reserveCapacity(deletes.count)
    owners.reserveCapacity(deletes.count)
    var refused = try takeRoots(deletes)
    collectKeys()
    var failed = try takeAlong()
    failed.formUnion(named(by: targets))
    refused += leaveOut(failed)
    refused += leaveOut(try claimed())
    for case let lane? in lanes { lane.endReading() }
    return refused
  }

  /// False if a record does not go.
  func mayTake(_ key: RecordKey) -> Bool { seen.indices.contains(key.entity) && seen[key.entity].contains(key.id) }

  /// The place of the delete with which each of ``records`` goes, in their order.
  var rootPlaces: some Collection<Int> { owners.lazy.map { roots[Int($0)].place } }
}

// The records that go.
extension LeavingRecords {
  private mutating func takeRoots(_ deletes: [Root]) throws -> [Int] {
    var refused: [Int] = []
    if let entity = deletes.first?.key.entity, seen.indices.contains(entity) { seen[entity].reserve(deletes.count) }
    for root in deletes where try !takeRoot(root) { refused.append(root.place) }
    return refused
  }

  private mutating func takeRoot(_ root: Root) throws -> Bool {
    let key = root.key
    guard layout.rules.indices.contains(key.entity), try gate.isOnItsOwn(key) else { return false }
    let lane = try lane(of: key.entity)
    guard lane.rules.goesPlainly else { return false }
    if seen[key.entity].contains(key.id) { return true }
    // Gone already: somebody else did it, which is what the caller wants. Or another change of the save makes it.
    guard let stored = try lane.row(key.id) else { return others.isEmpty }
    roots.append(root)
    let owner = Int32(roots.count - 1)
    if try isNothingAbove(RecordView(stored), lane.rules), try take(key, stored, lane, owner, isRoot: true) {
      return true
    }
    roots.removeLast()
    return false
  }

  /// Takes those along that cannot be without one that goes. Returns the roots of which one is unusual.
  private mutating func takeAlong() throws -> Set<Int32> {
    var failed: Set<Int32> = []
    var next = 0
    while next < records.count {
      let (parent, owner) = (records.entries[next], owners[next])
      next += 1
      if !failed.isEmpty, failed.contains(owner) { continue }
      let lane = try lane(of: EntityNumber(parent.entity))
      for place in lane.incoming.indices where try !takeHolders(of: parent.id, by: lane.incoming[place], owner) {
        failed.insert(owner)
        break
      }
    }
    return failed
  }

  /// Takes those along that refer to a record.
  private mutating func takeHolders(of parent: RecordID, by reference: Lane.Incoming, _ owner: Int32) throws -> Bool {
    guard var id = try reference.index.first(to: parent) else { return true }
    // It would read as nil from now on, which changes its holder's row, or its holder goes with more questions.
    guard reference.takesAlong else { return false }
    let lane = try lane(of: reference.holder)
    while true {
      let key = RecordKey(entity: reference.holder, id: id)
      if !seen[key.entity].contains(id) {
        guard try gate.isOnItsOwn(key), let stored = try lane.row(id), try take(key, stored, lane, owner, isRoot: false)
        else { return false }
      }
      guard let next = try reference.index.next() else { return true }
      id = next
    }
  }

  private mutating func lane(of entity: EntityNumber) throws -> Lane {
    if let lane = lanes[entity] { return lane }
    let lane = try Lane(entity, layout, view)
    lanes[entity] = lane
    return lane
  }

  private func stored(_ key: RecordKey) throws -> RawBytes? {
    try key.id.withRawBytes { id throws in try view.get(layout.databases.records[key.entity], key: id) }
  }

  /// Notes what goes with a root; false if it, or something about it, is unusual.
  private mutating func take(
    _ key: RecordKey, _ stored: RawBytes, _ lane: Lane, _ owner: Int32, isRoot: Bool
  ) throws -> Bool {
    if !others.isEmpty, others.contains(key.id) { return false }
    // The rules tell what is wrong with a damaged record.
    do { try RecordFormat.check(stored, id: key.id, entity: key.entity) } catch is StoreError { return false }
    let record = RecordView(stored)
    let rules = lane.rules
    guard RecordRewrite.isPossible(record), record.deleted == nil, record.fieldCount == rules.draft.fieldCount,
      record.touch.map({ $0 < stamp }) ?? false,
      !rules.referenceOrdinals.contains(where: { record.isDangling(at: $0) })
    else { return false }
    seen[key.entity].insert(key.id)
    let preserved =
      rules.preservedFields.isEmpty
      ? [] : rules.preservedFields.map { FieldWrite($0.ordinal, record.storedValue(of: $0)) }
    changes.append(HistoryChange(kind: .delete, entity: key.entity, id: key.id, preserved: preserved))
    owners.append(owner)
    if isRoot {
      RecordRewrite.delete(record, id: key.id, key.entity, stamp: stamp, into: &records)
    } else {
      // A record that goes along stays as it was written.
      records.add(key.id, key.entity, stored.count, isNew: false) { $0.copyMemory(from: stored.buffer) }
    }
    if let entry = records.entries.last { lane.rows.append(entry) }
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

// The records that do not go here after all.
extension LeavingRecords {
  /// The roots of records that other changes name.
  private func named(by targets: RecordIDSet) -> Set<Int32> {
    guard !targets.isEmpty else { return [] }
    return Set(zip(records.entries, owners).lazy.filter { targets.contains($0.0.id) }.map { $0.1 })
  }

  /// The roots of records that give up a unique value for which an invisible one waits.
  private mutating func claimed() throws -> Set<Int32> {
    collectKeys()
    guard gate.hasClaims else { return [] }
    var waited: Set<RecordID> = []
    for case let lane? in lanes {
      for keys in lane.takeUniqueKeys() { waited.formUnion(try keys.claimedRecords(in: view)) }
    }
    guard !waited.isEmpty else { return [] }
    return Set(zip(records.entries, owners).lazy.filter { waited.contains($0.0.id) }.map { $0.1 })
  }

  /// Leaves out roots with all that goes along, and returns their places.
  private mutating func leaveOut(_ failed: Set<Int32>) -> [Int] {
    guard !failed.isEmpty else { return [] }
    let places = failed.map { roots[Int($0)].place }
    let left = owners.indices.filter { failed.contains(owners[$0]) }
    records.removeEntries(at: left)
    let kept = owners.indices.filter { !failed.contains(owners[$0]) }
    changes = kept.map { changes[$0] }
    var numbers: [Int32: Int32] = [:]
    for owner in roots.indices where !failed.contains(Int32(owner)) { numbers[Int32(owner)] = Int32(numbers.count) }
    owners = kept.compactMap { numbers[owners[$0]] }
    roots = roots.indices.filter { !failed.contains(Int32($0)) }.map { roots[$0] }
    for case let lane? in lanes { lane.restart() }
    for entry in records.entries { lanes[Int(entry.entity)]?.rows.append(entry) }
    collectKeys()
    return places
  }

  private func collectKeys() {
    for case let lane? in lanes {
      lane.collectKeys(of: records, beside: records.count >= Self.manyRecords, layout.databases)
    }
  }
}

// Writing.
extension LeavingRecords {
  /// Moves the rows, and takes their keys out. Rows first: the keys may still be on their way.
  ///
  /// - Parameter returned: The places of deletes that the session carries out instead.
  mutating func write(except returned: Set<Int>, to transaction: borrowing WriteTransaction) throws {
    guard !isEmpty else { return }
    if !returned.isEmpty {
      _ = leaveOut(Set(roots.indices.filter { returned.contains(roots[$0].place) }.map(Int32.init)))
    }
    let hidden = try transaction.writeCursor(layout.databases.hidden)
    for case let lane? in lanes {
      lane.sort()
      try move(lane.rows, from: try transaction.writeCursor(lane.records), to: hidden)
    }
    for case let lane? in lanes {
      for var keys in lane.takeKeys() { try keys.write(to: transaction) }
    }
  }

  /// How keys that rise from this one on enter the table of hidden records.
  private func mode(of first: RawBytes) throws -> WriteTransaction.PutMode {
    var hidden = try view.cursor(layout.databases.hidden)
    let last = try hidden.last()
    return last.map { first.compare($0.key) > 0 } ?? true ? .append : .upsert
  }

  /// Moves the rows of one entity.
  private func move(
    _ leaving: [RecordDrafts.Entry], from rows: borrowing WriteCursor, to hidden: borrowing WriteCursor
  ) throws {
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
