import LMDB

/// The records that one commit works on, and the questions that its rules ask of the store.
///
/// Lives within one (nested) write transaction, on one thread. Nothing is written before all
/// rules have settled, so what the tables say is the state before the commit, and bytes lent by them
/// stay valid. Records are addressed by their slot in ``records``.
final class CommitSession {
  let view: TransactionView
  let layout: StoreLayout
  let stamp: Stamp
  let terms: SessionTerms
  let side: SideTableFacts
  /// The parts of forked streams that belong together.
  let forks: ForkedStreams
  /// Whether what is merged is of a branch of such a stream.
  let hasForkedArrivals: Bool

  var records: [WorkingRecord] = []
  var slots: [RecordKey: Int] = [:]
  var settling = SettlingQueue()
  var division = DividedWork()
  var lookUps = StoredLookUps()
  var leaving = LeavingState()
  var equality = EqualityState()
  var containment = Containment()
  /// Targets, and the slots whose references this commit has changed; built when first needed.
  var changedHolders: [RecordID: [Int]]?
  /// Unique keys that records of this commit hold.
  var claimed: [ClaimKey: [Int]] = [:]
  var collecting = CollectingState()
  /// The facts of a local save that other devices must know.
  var outgoing: [Placed<RecordFacts>] = []
  var remapped: [RecordID: RecordID] = [:]

  init(
    _ layout: StoreLayout, _ view: TransactionView, stamp: Stamp = .zero, _ terms: SessionTerms = SessionTerms(),
    side: SideTableFacts? = nil, expectedCount: Int
  ) throws {
    self.layout = layout
    self.view = view
    self.stamp = stamp
    self.terms = terms
    self.side = try side ?? SideTableFacts(layout, view)
    var forks = try ForkedStreams(view, layout)
    for transaction in terms.merged.values {
      guard let stream = transaction.forkedFrom else { continue }
      forks.add(transaction.stamp, of: transaction.dot.replica, stream: stream)
    }
    self.forks = forks
    hasForkedArrivals =
      terms.merged.values.contains { $0.forkedFrom != nil } || terms.isRestoring && !forks.isEmpty
    records.reserveCapacity(expectedCount)
    slots.reserveCapacity(expectedCount)
    // Asking an empty tree once a record costs more than asking once whether it is empty.
    if expectedCount > 16 {
      for (number, database) in layout.databases.indexes where try view.isEmpty(database) {
        lookUps.emptyIndexes.insert(number)
      }
    }
  }

  var isMerge: Bool { terms.isMerge }

  func rules(of slot: Int) -> EntityRules { layout.rules[records[slot].facts.entity] }
}

// Finding records.
extension CommitSession {
  /// The id that stands for `id` in its alias class.
  func canonical(_ id: RecordID) throws -> RecordID {
    guard side.hasAliases || !equality.aliases.isEmpty else { return id }
    var id = id
    // One step, but while a dump is loaded, whose given aliases lead to ids that find others.
    while true {
      let next = try equality.aliases[id] ?? storedCanonical(id)
      if next == id { return id }
      id = next
    }
  }

  /// The id that stood for `id` before this commit.
  func storedCanonical(_ id: RecordID) throws -> RecordID {
    guard side.hasAliases else { return id }
    return try id.withRawBytes { key throws in
      try view.get(layout.databases.aliases, key: key).flatMap { RecordID(bytes: $0) } ?? id
    }
  }

  /// The slot of a known record, visible or not; nil if nothing is known of it.
  func slot(of id: RecordID, entity: EntityNumber) throws -> Int? {
    let key = RecordKey(entity: entity, id: try canonical(id))
    if let slot = slots[key] { return slot }
    if let passed = division.passed, let change = try passed.giveBack(key) {
      try take(change)
      if let slot = slots[key] { return slot }
    }
    guard let record = try stored(key) else { return nil }
    return add(record, key: key)
  }

  /// As `slot(of:entity:)`, in whichever of the entities that a reference may lead to.
  func slot(of id: RecordID, among targets: [EntityNumber]) throws -> Int? {
    for entity in targets {
      if let slot = try slot(of: id, entity: entity) { return slot }
    }
    return nil
  }

  @discardableResult
  func add(_ record: WorkingRecord, key: RecordKey) -> Int {
    records.append(record)
    records[records.count - 1].place = division.place
    slots[key] = records.count - 1
    return records.count - 1
  }

  private func stored(_ key: RecordKey) throws -> WorkingRecord? {
    let entity = layout.catalogue.entities[key.entity]
    let visible = try key.id.withRawBytes { raw throws in
      try view.get(layout.databases.records[key.entity], key: raw)
    }
    if let visible {
      let facts = try RecordFacts(decoding: visible, id: key.id, entity: entity)
      let record = RecordView(visible)
      let dangling = layout.rules[key.entity].references.map(\.ordinal).filter { record.isDangling(at: $0) }
      return WorkingRecord(stored: facts, isVisible: true, dangling: dangling)
    }
    guard let hidden = try view.get(layout.databases.hidden, key: HiddenTable.key(key)) else { return nil }
    let facts = try RecordFacts(decoding: hidden, id: key.id, entity: entity)
    return WorkingRecord(stored: facts, isVisible: false, dangling: [])
  }

  /// Whether the record that a reference names is visible as things stand.
  func isVisible(_ id: RecordID, among targets: [EntityNumber]) throws -> Bool {
    for entity in targets {
      let key = RecordKey(entity: entity, id: id)
      if let slot = slots[key] {
        if records[slot].isVisible { return true }
      } else if try isStoredVisible(key) {
        return true
      }
    }
    return false
  }

  private func isStoredVisible(_ key: RecordKey) throws -> Bool {
    if let passed = division.passed {
      if passed.shows(key) { return true }
      if passed.hides(key), let slot = try slot(of: key.id, entity: key.entity) { return records[slot].isVisible }
    }
    if let known = lookUps.visibility[key] { return known }
    let isVisible = try key.id.withRawBytes { raw throws in
      try view.get(layout.databases.records[key.entity], key: raw) != nil
    }
    lookUps.visibility[key] = isVisible
    return isVisible
  }

  /// Whether an id is greater than every id of its entity, so that nothing can be known of it. Ids rise
  /// with time, which makes this the common case of an insert and spares two look-ups.
  func isFresh(_ id: RecordID, entity: EntityNumber) throws -> Bool {
    if let bound = lookUps.bounds[entity] { return id > bound }
    let bound = try view.greatestID(of: entity, layout.databases)
    lookUps.bounds[entity] = bound
    return id > bound
  }
}

// The queue.
extension CommitSession {
  func enqueue(_ slot: Int) {
    guard !records[slot].isQueued, !records[slot].isRemoved else { return }
    records[slot].isQueued = true
    settling.slots.append(slot)
  }

  /// Notes that a reference of `slot` now names `target`.
  func noteHolder(_ slot: Int, of target: RecordID) {
    changedHolders?[target, default: []].append(slot)
  }
}
