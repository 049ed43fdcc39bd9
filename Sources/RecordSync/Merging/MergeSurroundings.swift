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
  /// Entries of the conflict log about the records that the transactions name.
  var logged: [RecordKey: [Conflict]] = [:]

  init(catalogue: Catalogue, own: ReplicaID) {
    contexts = CausalContexts(own: own)
    cascades = CascadeMap(catalogue)
    finalEntities = Set(catalogue.entities.filter(\.deleteIsFinal).map(\.number))
    joinEntities = Set(catalogue.entities.filter(\.isJoin).map(\.number))
  }
}

extension MergeSurroundings {
  /// Reads everything that `transactions` need. One look-up a record, and a query a new record with unique values.
  init(_ transactions: [TransactionFacts], in snapshot: borrowing StoreSnapshot) throws {
    let catalogue = snapshot.catalogue
    self.init(catalogue: catalogue, own: try snapshot.replica)
    var contexts = self.contexts
    try snapshot.forEachAttachment(prefix: SyncAttachment.contexts) { key, value in
      try contexts.read(key: key, value: value)
      return true
    }
    self.contexts = contexts
    let uniqueIndexes = catalogue.entities.map { $0.indexes.filter(\.isUnique) }
    for transaction in transactions {
      for facts in transaction.records where !joinEntities.contains(facts.entity) {
        try readNamed(facts, uniqueIndexes: uniqueIndexes[facts.entity], in: snapshot)
      }
    }
    try readLogged(in: snapshot)
    for key in known.filter({ $0.value.deleted != nil }).keys { try readChildren(of: key, in: snapshot) }
    for transaction in transactions {
      for facts in transaction.records where facts.deleted != nil { try readChildren(of: facts.key, in: snapshot) }
    }
  }

  private mutating func readNamed(
    _ facts: RecordFacts, uniqueIndexes: [CatalogueIndex], in snapshot: borrowing StoreSnapshot
  ) throws {
    if known[facts.key] == nil {
      if let found = try snapshot.facts(facts.id, of: facts.entity) {
        known[facts.key] = found
      } else if facts.isInserted, twins[facts.key] == nil {
        try readTwin(of: facts, uniqueIndexes: uniqueIndexes, in: snapshot)
      }
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
  private mutating func readTwin(
    of facts: RecordFacts, uniqueIndexes: [CatalogueIndex], in snapshot: borrowing StoreSnapshot
  ) throws {
    for index in uniqueIndexes {
      var conditions: [RecordFilter] = []
      for component in index.components {
        guard var value = facts.register(at: component.ordinal)?.value, value != .null else { break }
        if case .reference(let id) = value { value = .reference(try snapshot.canonical(id)) }
        conditions.append(.compare(FieldPath(component.ordinal), .equal, value))
      }
      guard conditions.count == index.components.count else { continue }
      let query = RecordQuery(
        entity: facts.entity, filter: conditions.count == 1 ? conditions[0] : .and(conditions), limit: 1)
      guard let twin = try snapshot.identifiers(query).first, twin != facts.id else { continue }
      let key = RecordKey(entity: facts.entity, id: twin)
      twins[facts.key] = key
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
