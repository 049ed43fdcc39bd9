import RecordStore

/// What a merge has to know of the store, read from the writer's snapshot before the pure part begins.
struct MergeSurroundings: Sendable {
  var contexts: CausalContexts
  var cascades: CascadeMap
  /// Entities whose deletes are final.
  var finalEntities: Set<EntityNumber> = []
  /// Entities that the store made itself for links: nobody knows them by name, so they are not logged.
  var joinEntities: Set<EntityNumber> = []
  /// Facts of the records that the transactions name, of those above them, and of those below deleted ones.
  var known: [RecordKey: RecordFacts] = [:]
  /// Visible records below a deleted one.
  var children: [RecordKey: [RecordKey]] = [:]
  /// New records that carry a unique value which another record holds: that record.
  var twins: [RecordKey: RecordKey] = [:]
  /// Ids that name a record which another id names, too: by a twin, or since an earlier merge.
  private var sameIDs: [RecordID: RecordID] = [:]
  /// By entity.
  private var uniqueIndexes: [[CatalogueIndex]] = []
  /// Entries of the conflict log about the records that the transactions name.
  var logged: [RecordKey: [Conflict]] = [:]

  init(catalogue: Catalogue, own: ReplicaID) {
    contexts = CausalContexts(own: own)
    cascades = CascadeMap(catalogue)
    finalEntities = Set(catalogue.entities.filter(\.deleteIsFinal).map(\.number))
    uniqueIndexes = catalogue.entities.map { $0.indexes.filter(\.isUnique) }
    joinEntities = Set(catalogue.entities.filter(\.isJoin).map(\.number))
  }
}

extension MergeSurroundings {
  /// Reads everything that `transactions` need. One look-up a record, and a query a new record with unique values.
  /// `catalogue` is the snapshot's with what the merge adds to it.
  init(
    _ transactions: [TransactionFacts], catalogue: Catalogue, in snapshot: borrowing StoreSnapshot
  ) throws {
    self.init(catalogue: catalogue, own: try snapshot.replica)
    var contexts = self.contexts
    try snapshot.forEachAttachment(prefix: SyncAttachment.contexts) { key, value in
      try contexts.read(key: key, value: value)
      return true
    }
    self.contexts = contexts
    for transaction in transactions {
      for facts in transaction.records
      where facts.entity < snapshot.catalogue.entities.count && !joinEntities.contains(facts.entity) {
        try readNamed(facts, in: snapshot)
      }
    }
    try readLogged(in: snapshot)
    for key in known.filter({ $0.value.deleted != nil }).keys { try readChildren(of: key, in: snapshot) }
    for transaction in transactions {
      for facts in transaction.records
      where facts.deleted != nil && facts.entity < snapshot.catalogue.entities.count {
        try readChildren(of: facts.key, in: snapshot)
      }
    }
  }

  /// Whether two records of one entity have equal values, none of them null, in one of its unique keys.
  func sharesUniqueValue(_ left: RecordFacts, _ right: RecordFacts) -> Bool {
    uniqueIndexes[left.entity].contains { index in
      index.components.allSatisfy { component in
        guard let value = left.register(at: component.ordinal)?.value, value != .null,
          let other = right.register(at: component.ordinal)?.value
        else { return false }
        return isSame(value, other)
      }
    }
  }

  /// Equal values; references are equal when they name one record, by whichever id.
  func isSame(_ left: FieldValue, _ right: FieldValue) -> Bool { identity(left) == identity(right) }

  private func identity(_ value: FieldValue) -> FieldValue {
    guard case .reference(let id) = value, let same = sameIDs[id] else { return value }
    return .reference(same)
  }

  private mutating func readNamed(_ facts: RecordFacts, in snapshot: borrowing StoreSnapshot) throws {
    if known[facts.key] == nil {
      if let found = try snapshot.facts(facts.id, of: facts.entity) {
        known[facts.key] = found
      } else if facts.isInserted, twins[facts.key] == nil {
        try readTwin(of: facts, in: snapshot)
      }
    }
    for case .reference(let id) in facts.registers.lazy.map(\.value) where sameIDs[id] == nil {
      let canonical = try snapshot.canonical(id)
      if canonical != id { sameIDs[id] = canonical }
    }
    try readParents(of: facts, in: snapshot)
    if let stored = known[facts.key] { try readParents(of: stored, in: snapshot) }
  }

  private mutating func readParents(of facts: RecordFacts, in snapshot: borrowing StoreSnapshot) throws {
    for key in cascades.parents(of: facts) where known[key] == nil {
      guard let parent = try snapshot.facts(key.id, of: key.entity) else { continue }
      known[key] = parent
      try readParents(of: parent, in: snapshot)
    }
  }

  /// Looks for a visible record with the same values in one of the unique indexes.
  private mutating func readTwin(of facts: RecordFacts, in snapshot: borrowing StoreSnapshot) throws {
    for index in uniqueIndexes[facts.entity] {
      var values: [FieldValue] = []
      for component in index.components {
        guard var value = facts.register(at: component.ordinal)?.value, value != .null else { break }
        if case .reference(let id) = identity(value) { value = .reference(try snapshot.canonical(id)) }
        values.append(value)
      }
      guard values.count == index.components.count,
        let twin = try snapshot.lookUp(index, of: facts.entity, values: values), twin != facts.id
      else { continue }
      let key = RecordKey(entity: facts.entity, id: twin)
      twins[facts.key] = key
      sameIDs[facts.id] = twin
      if known[key] == nil { known[key] = try snapshot.facts(twin, of: facts.entity) }
      return
    }
  }

  private mutating func readChildren(of key: RecordKey, in snapshot: borrowing StoreSnapshot) throws {
    guard children[key] == nil, let below = cascades.children[key.entity] else { return }
    var found: [RecordKey] = []
    for child in below {
      for id in try snapshot.related(key.id, of: key.entity, relationship: child.relationship) {
        found.append(RecordKey(entity: child.entity, id: id))
      }
    }
    children[key] = found
    for child in found {
      if known[child] == nil { known[child] = try snapshot.facts(child.id, of: child.entity) }
      try readChildren(of: child, in: snapshot)
    }
  }

  private mutating func readLogged(in snapshot: borrowing StoreSnapshot) throws {
    var isAnyLogged = false
    try snapshot.forEachAttachment(prefix: SyncAttachment.conflicts) { _, _ in
      isAnyLogged = true
      return false
    }
    guard isAnyLogged else { return }
    for key in Array(known.keys) {
      var found: [Conflict] = []
      try snapshot.forEachAttachment(prefix: Conflict.prefix(entity: key.entity, record: key.id)) { bytes, value in
        found.append(try Conflict(key: bytes, value: value))
        return true
      }
      if !found.isEmpty { logged[key] = found }
    }
  }
}
