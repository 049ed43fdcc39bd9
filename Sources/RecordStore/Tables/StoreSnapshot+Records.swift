import LMDB

// Records by id.
extension StoreSnapshot {
  /// A visible record, through aliases; nil if there is none. One descent of the tree and one copy.
  /// Throws `damaged` if the record's checksum is wrong.
  /// Throws it, too, if a value that lies beside the store is missing there.
  public func record(_ id: RecordID, of entity: EntityNumber) throws -> RecordImage? {
    guard let row = try row(id, of: entity) else { return nil }
    try requireValues(of: row)
    return try row.image()
  }

  /// As ``record(_:of:)``, lent where it lies: not copied and not checked, valid until the snapshot ends.
  package func row(_ id: RecordID, of entity: EntityNumber) throws -> QueryRow? {
    guard layout.catalogue.entities.indices.contains(entity) else { return nil }
    if let bytes = try bytes(of: id, entity) { return QueryRow(id: id, entity: entity, bytes: bytes) }
    let canonical = try canonical(id)
    guard canonical != id, let bytes = try bytes(of: canonical, entity) else { return nil }
    return QueryRow(id: canonical, entity: entity, bytes: bytes)
  }

  /// Lends a finder of visible records of one entity that lie near each other, as those do that were made together.
  package func withRows<Result>(
    of entity: EntityNumber, _ body: (_ row: (RecordID) throws -> QueryRow?) throws -> Result
  ) throws -> Result {
    let rows = try RowReader(layout.databases.records[entity], transaction)
    return try body { id in
      guard let bytes = try rows.row(id) else { return try row(id, of: entity) }
      return QueryRow(id: id, entity: entity, bytes: bytes)
    }
  }

  /// All facts of a record, visible or not, through aliases; nil if nothing is known of it.
  package func facts(_ id: RecordID, of entity: EntityNumber) throws -> RecordFacts? {
    try storedFacts(id, of: entity).map { try withValues($0) }
  }

  /// As ``facts(_:of:)``; of values that lie beside the store their references.
  package func storedFacts(_ id: RecordID, of entity: EntityNumber) throws -> RecordFacts? {
    guard layout.catalogue.entities.indices.contains(entity) else { return nil }
    let id = try canonical(id)
    let key = HiddenTable.key(RecordKey(entity: entity, id: id))
    guard let bytes = try bytes(of: id, entity) ?? transaction.get(layout.databases.hidden, key: key) else {
      return nil
    }
    return try RecordFacts(decoding: bytes, id: id, entity: layout.catalogue.entities[entity])
  }

  /// The entity of the record that has an id, visible or not; nil if the store knows none. Costs a look-up or two in
  /// each entity.
  package func entity(of id: RecordID) throws -> EntityNumber? {
    let id = try canonical(id)
    return try layout.catalogue.entities.indices.first { entity in
      let key = HiddenTable.key(RecordKey(entity: entity, id: id))
      return try bytes(of: id, entity) != nil || transaction.get(layout.databases.hidden, key: key) != nil
    }
  }

  /// The id that stands for `id`: itself, or the canonical id of its alias class.
  public func canonical(_ id: RecordID) throws -> RecordID {
    var id = id
    // Aliases lead to smaller ids, so this ends.
    while let next = try alias(of: id) { id = next }
    return id
  }

  /// Every id that was joined to another, with the canonical one, in order.
  package func forEachAlias(_ body: (_ id: RecordID, _ canonical: RecordID) throws -> Void) throws {
    var cursor = try transaction.cursor(layout.databases.aliases)
    var next = try cursor.first()
    while let entry = next {
      guard let id = RecordID(bytes: entry.key), let canonical = RecordID(bytes: entry.value) else {
        throw StoreError(.damaged, "an alias of the store is damaged: restore the store from a copy or by sync")
      }
      try body(id, canonical)
      next = try cursor.next()
    }
  }

  /// Ids of the visible records linked to `id` by a relationship, in id order. Empty for an unknown relationship.
  public func related(_ id: RecordID, of entity: EntityNumber, relationship: String) throws -> [RecordID] {
    guard layout.catalogue.entities.indices.contains(entity),
      let relationship = layout.catalogue.entities[entity].relationship(named: relationship)
    else { return [] }
    let id = try canonical(id)
    switch relationship.storage {
    case .reference(let ordinal):
      guard let bytes = try bytes(of: id, entity) else { return [] }
      return RecordView(bytes).reference(at: ordinal).map { [$0] } ?? []
    case .inverse(let holder, let ordinal):
      return try holders(of: id, holder, ordinal).sorted()
    case .join(let join, let near, let far):
      return try holders(of: id, join, near).compactMap { link in
        try bytes(of: link, join).flatMap { RecordView($0).reference(at: far) }
      }.sorted()
    }
  }

  /// Every record of an entity, dead and waiting ones included, as facts in id order: for dumps and checks.
  package func forEachFacts(of entity: EntityNumber, _ body: (RecordFacts, _ isVisible: Bool) throws -> Void) throws {
    try forEachStoredFacts(of: entity) { facts, isVisible in try body(withValues(facts), isVisible) }
  }

  /// As ``forEachFacts(of:_:)``; of values that lie beside the store their references.
  package func forEachStoredFacts(
    of entity: EntityNumber, _ body: (RecordFacts, _ isVisible: Bool) throws -> Void
  ) throws {
    let definition = layout.catalogue.entities[entity]
    var visible = try transaction.cursor(layout.databases.records[entity])
    var hidden = try transaction.cursor(layout.databases.hidden)
    var nextVisible = try visible.first()
    var nextHidden = try hidden.seek(HiddenTable.prefix(entity))
    while true {
      let visibleID = nextVisible.flatMap { RecordID(bytes: $0.key) }
      let hiddenKey = nextHidden.flatMap { HiddenTable.recordKey($0.key) }
      let hiddenID = hiddenKey.flatMap { $0.entity == entity ? $0.id : nil }
      if let entry = nextVisible, let id = visibleID, hiddenID.map({ id < $0 }) ?? true {
        try body(RecordFacts(decoding: entry.value, id: id, entity: definition), true)
        nextVisible = try visible.next()
      } else if let entry = nextHidden, let id = hiddenID {
        try body(RecordFacts(decoding: entry.value, id: id, entity: definition), false)
        nextHidden = try hidden.next()
      } else {
        return
      }
    }
  }

  private func bytes(of id: RecordID, _ entity: EntityNumber) throws -> RawBytes? {
    let table = layout.databases.records[entity]
    return try id.withRawBytes { key throws in try transaction.get(table, key: key) }
  }

  private func alias(of id: RecordID) throws -> RecordID? {
    let table = layout.databases.aliases
    return try id.withRawBytes { key throws in
      try transaction.get(table, key: key).flatMap { RecordID(bytes: $0) }
    }
  }

  private func holders(of id: RecordID, _ holder: EntityNumber, _ ordinal: Int) throws -> [RecordID] {
    guard let rule = layout.rules[holder].reference(at: ordinal) else { return [] }
    let index = layout.rules[holder].indexes[rule.indexPosition].index.number
    var ids: [RecordID] = []
    // As many as most have: to grow from nothing takes longer than to find them.
    ids.reserveCapacity(16)
    try transaction.forEachKey(in: layout.databases.index(index), startingWith: ReferenceKey.prefix(id)) { key, value in
      ids.append(try IndexKey.recordID(key: key, value: value))
    }
    return ids
  }
}
