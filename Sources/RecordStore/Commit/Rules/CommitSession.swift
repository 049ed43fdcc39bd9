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
  let policy: UniquenessPolicy
  /// Transactions being merged, by stamp; empty for a local save.
  let merged: [Stamp: MergeOrigin.Transaction]
  /// Whether the facts are those of another store, and no transaction of this one's history.
  let isRestoring: Bool
  /// A rule that is wrong on purpose.
  let mutation: RuleMutation?
  /// Whether updates of records that nobody knows here are kept.
  var keepsUnknownUpdates = false
  var dropsUpdatesOfLeaving = false
  /// Records to which a change after the deletes may give another place, or other records below them, instead of one
  /// that they cannot be without: deletes do not go on through them yet.
  var moving: Set<Int> = []
  /// Records that changes after the deletes link to further records: deletes go on through them once more.
  var relinked: Set<Int> = []
  /// Updates of records that deletes of the same save took along, until one gives the record another place.
  var updatesOfLeaving: [Int: [FieldWrite]] = [:]
  /// Of records that go, fields whose targets this save took out of them, though there must be one: deletes do not
  /// follow these.
  var released: [Int: Set<Int>] = [:]
  /// Numbers of unique indexes for which a duplicate is refused under every policy.
  var strictIndexes: Set<Int> = []
  /// Whether updates set values without giving life.
  var isSystem = false
  /// See ``SaveRequest/newFields``.
  var newFields: NewFields?
  /// Of streams that were forked: what belongs together.
  let forks: ForkedStreams
  /// Whether what is merged is of a branch of such a stream.
  let hasForkedArrivals: Bool
  /// The key of a local once transaction.
  let once: OnceKey?
  /// What was taken without a look at its rules; nil if they look at all of it.
  var passed: (any PassedRecords)?
  /// What the indexes have of records that were given back, by a commit that is not done.
  var entered: [RecordKey: RecordFacts] = [:]
  /// Changes that are still to take effect, rising by their place.
  var pending: ArraySlice<ReturnedChange> = []
  /// The place in the request of the change that takes effect; behind all of them, once they have.
  var place = 0

  var records: [WorkingRecord] = []
  var slots: [RecordKey: Int] = [:]
  /// Visibility of stored records that were only looked at.
  private var peeked: [RecordKey: Bool] = [:]

  /// Slots whose visibility and dangling references must be worked out.
  var queue: [Int] = []
  var isSettling = false
  /// Invisible targets, and the slots that were settled without them.
  var waiting: [RecordID: [Int]] = [:]
  /// Targets, and the slots whose references this commit has changed; built when first needed.
  var changedHolders: [RecordID: [Int]]?
  /// Unique keys that records of this commit hold.
  var claimed: [ClaimKey: [Int]] = [:]
  /// Ids whose canonical id this commit changes, with the new one; an id that stands for itself again names itself.
  var aliases: [RecordID: RecordID] = [:]
  /// Records as written, where this commit changes them or they differ from their rows.
  var members: [RecordKey: Member] = [:]
  /// Records whose unique values, held now or ever, this commit changes; see ``deriveClasses()``.
  var claimants: [RecordKey] = []
  /// Alias classes as they will be, by the key of their row, where this commit changes them.
  var classes: [RecordKey: AliasClass] = [:]
  /// What other replicas' and own transactions of claims had seen, once looked up.
  var contexts: [Stamp: VersionVector?] = [:]
  /// Records of which this commit has taken facts away.
  var forgotten: Set<RecordKey> = []
  /// Records that this commit says again, with what others do not know of them.
  var restated: [RecordKey: VersionVector] = [:]
  /// What other devices must know of a local save.
  var outgoing: [Placed<RecordFacts>] = []
  var remapped: [RecordID: RecordID] = [:]
  /// Classes that this commit has put together or taken apart.
  var regrouped: [RecordClass] = []
  var containment = Containment()

  let hasAliases: Bool
  let hasBackReferences: Bool
  let hasClaims: Bool
  let hasOriginals: Bool
  let hasPastWrites: Bool
  let hasHeldKeys: Bool
  private var freshBounds: [EntityNumber: RecordID] = [:]
  private(set) var emptyIndexes: Set<Int> = []

  init(
    view: TransactionView, layout: StoreLayout, stamp: Stamp, policy: UniquenessPolicy,
    merged: [Stamp: MergeOrigin.Transaction] = [:], isRestoring: Bool = false, once: OnceKey? = nil,
    mutation: RuleMutation? = nil, expectedCount: Int
  ) throws {
    self.view = view
    self.layout = layout
    self.stamp = stamp
    self.policy = policy
    self.merged = merged
    self.isRestoring = isRestoring
    self.mutation = mutation
    self.once = once
    var forks = try ForkedStreams(view, layout)
    for transaction in merged.values {
      guard let stream = transaction.forkedFrom else { continue }
      forks.add(transaction.stamp, of: transaction.dot.replica, stream: stream)
    }
    self.forks = forks
    hasForkedArrivals = merged.values.contains { $0.forkedFrom != nil } || isRestoring && !forks.isEmpty
    hasAliases = try view.statistics(layout.databases.aliases).entries > 0
    hasBackReferences = try view.statistics(layout.databases.backReferences).entries > 0
    hasClaims = try view.statistics(layout.databases.claims).entries > 0
    let tables = layout.databases.classTables
    hasOriginals = try tables.map { try view.statistics($0.originals).entries > 0 } ?? false
    hasPastWrites = try tables.map { try view.statistics($0.pastWrites).entries > 0 } ?? false
    hasHeldKeys = try tables.map { try view.statistics($0.heldKeys).entries > 0 } ?? false
    records.reserveCapacity(expectedCount)
    slots.reserveCapacity(expectedCount)
    // Asking an empty tree once a record costs more than asking once whether it is empty.
    if expectedCount > 16 {
      for (number, database) in layout.databases.indexes where try view.isEmpty(database) {
        emptyIndexes.insert(number)
      }
    }
  }

  var isMerge: Bool { !merged.isEmpty || isRestoring }

  func rules(of slot: Int) -> EntityRules { layout.rules[records[slot].facts.entity] }
}

// Finding records.
extension CommitSession {
  /// The id that stands for `id` in its alias class.
  func canonical(_ id: RecordID) throws -> RecordID {
    guard hasAliases || !aliases.isEmpty else { return id }
    var id = id
    // One step, but while a dump is loaded, whose given aliases lead to ids that find others.
    while true {
      let next = try aliases[id] ?? storedCanonical(id)
      if next == id { return id }
      id = next
    }
  }

  /// The id that stood for `id` before this commit.
  func storedCanonical(_ id: RecordID) throws -> RecordID {
    guard hasAliases else { return id }
    return try id.withRawBytes { key throws in
      try view.get(layout.databases.aliases, key: key).flatMap { RecordID(bytes: $0) } ?? id
    }
  }

  /// The slot of a known record, visible or not; nil if nothing is known of it.
  func slot(of id: RecordID, entity: EntityNumber) throws -> Int? {
    let key = RecordKey(entity: entity, id: try canonical(id))
    if let slot = slots[key] { return slot }
    if let passed, let change = try passed.giveBack(key) {
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
    records[records.count - 1].place = place
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
    if let passed {
      if passed.shows(key) { return true }
      if passed.hides(key), let slot = try slot(of: key.id, entity: key.entity) { return records[slot].isVisible }
    }
    if let known = peeked[key] { return known }
    let isVisible = try key.id.withRawBytes { raw throws in
      try view.get(layout.databases.records[key.entity], key: raw) != nil
    }
    peeked[key] = isVisible
    return isVisible
  }

  /// Whether an id is greater than every id of its entity, so that nothing can be known of it. Ids rise
  /// with time, which makes this the common case of an insert and spares two look-ups.
  func isFresh(_ id: RecordID, entity: EntityNumber) throws -> Bool {
    if let bound = freshBounds[entity] { return id > bound }
    let bound = try view.greatestID(of: entity, layout.databases)
    freshBounds[entity] = bound
    return id > bound
  }
}

// The queue.
extension CommitSession {
  func enqueue(_ slot: Int) {
    guard !records[slot].isQueued, !records[slot].isRemoved else { return }
    records[slot].isQueued = true
    queue.append(slot)
  }

  /// Notes that a reference of `slot` now names `target`.
  func noteHolder(_ slot: Int, of target: RecordID) {
    changedHolders?[target, default: []].append(slot)
  }
}
