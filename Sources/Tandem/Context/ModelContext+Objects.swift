import RecordStore

// Objects and records.

extension ModelContext {
  /// The object of an identifier, read if it is not here yet.
  ///
  /// As this call cannot fail, a record that does not exist (any more) gives an object that is
  /// ``PersistentModel/isDeleted`` and reads as its properties' defaults. An identifier of an entity that the container
  /// does not have gives an object that is deleted and of no class of the app's; the next call that can throw throws
  /// `unknownSchema`.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if let model = existingModel(for: persistentModelID) { return model }
    guard let binding = core.binding(named: persistentModelID.entityName) else {
      note(
        SwiftDataError(
          .unknownSchema, "the container has no entity \(persistentModelID.entityName): add its class to the schema"))
      return Adoption.make(UnknownModel.self, around: goneStorage(of: UnknownModel.self, persistentModelID.recordID))
    }
    return binding.make(.passRetained(goneStorage(of: binding.description.type, persistentModelID.recordID)))
  }

  /// An object of a class that the store has none of by this identifier.
  func gone<T: PersistentModel>(_ id: PersistentIdentifier) -> T {
    Adoption.make(T.self, around: goneStorage(of: T.self, id.recordID))
  }

  private func goneStorage(of type: any PersistentModel.Type, _ id: RecordID) -> ModelStorage {
    let storage = ModelStorage.withDefaults(of: type, id)
    storage.flags = .gone
    return storage
  }

  /// The object of an identifier, if it is in memory.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    registered(persistentModelID.recordID) as? T
  }

  /// The object of an identifier; nil if there is no such record.
  func existingModel(for id: PersistentIdentifier) -> (any PersistentModel)? {
    core.binding(named: id.entityName).flatMap { object(id.recordID, $0) }
  }

  /// The object of a record, read if it is not here yet; nil if there is none.
  func object(_ id: RecordID, _ binding: EntityBinding) -> (any PersistentModel)? {
    if let model = registered(id) { return model }
    return reading(nil) {
      if let model = try stored(id, binding) { return model }
      return try loadForeign(binding) ? try stored(id, binding) : nil
    }
  }

  private func stored(_ id: RecordID, _ binding: EntityBinding) throws -> (any PersistentModel)? {
    try read(binding.store) { snapshot in
      try noteFirstRead(binding.store, snapshot)
      return try snapshot.row(id, of: binding.entity.number).map { try register($0, binding) }
    }
  }

  /// The object of a record at hand. A registered one keeps its own, equally new, values.
  func register(_ row: QueryRow, _ binding: EntityBinding) throws -> any PersistentModel {
    if let model = map[row.id] { return model }
    return try makeNew(row, binding.binding(of: row.view))
  }

  /// The stored members of a relationship whose links lie on the other side: in their own order if the relationship is
  /// ordered, which costs a look-up each, else in the order of their making.
  func related(_ index: Int, _ storage: ModelStorage) -> [any PersistentModel] {
    guard let binding = storage.binding, let destination = binding.destination(of: index) else { return [] }
    let property = binding.description.properties[index]
    return reading([]) {
      _ = try loadForeign(destination)
      return try read(binding.store) { snapshot in
        try noteFirstRead(binding.store, snapshot)
        let ids: [RecordID]
        if property.isOrdered {
          let list = try snapshot.orderedList(
            of: storage.recordID, binding.entity.number, relationship: property.storedName,
            field: OrderField.name(of: property, in: binding.description))
          storage.notePositions(list, of: index)
          ids = list.ids
        } else {
          ids = try snapshot.related(storage.recordID, of: binding.entity.number, relationship: property.storedName)
        }
        return try objects(ids, destination, snapshot)
      }
    }
  }

  /// The objects of records, of which those that are not here are read; without those that are not there any more.
  private func objects(
    _ ids: [RecordID], _ binding: EntityBinding, _ snapshot: borrowing StoreSnapshot
  ) throws -> [any PersistentModel] {
    var models: [any PersistentModel] = []
    models.reserveCapacity(ids.count)
    guard ids.contains(where: { map[$0] == nil }) else {
      for id in ids { if let model = map[id] { models.append(model) } }
      return models
    }
    try snapshot.withRows(of: binding.entity.number) { row in
      for id in ids {
        if let model = try map[id] ?? row(id).map({ try register($0, binding) }) { models.append(model) }
      }
    }
    return models
  }

  /// The stored owner of an object by a to-many relationship that has no inverse. Read now, as the object's own bytes
  /// do not know what this context saved since: one look-up.
  func hiddenOwner(
    _ relationship: ModelStorage.HiddenRelationship, _ storage: ModelStorage
  ) -> (any PersistentModel)? {
    guard let owner = core.binding(of: relationship.owner), let binding = storage.binding,
      let ordinal = owner.hiddenOrdinal(of: relationship.index), !storage.flags.contains(.inserted)
    else { return nil }
    let image: RecordImage? = reading(nil) {
      try read(binding.store) { try $0.row(storage.recordID, of: binding.entity.number)?.image() }
    }
    return image?.withView { $0.reference(at: ordinal) }.flatMap { object($0, owner) }
  }

  /// The state of the entity in whose records a relationship's links lie.
  func generation(of index: Int, _ binding: EntityBinding) -> UInt64 {
    switch binding.relationships[index]?.storage {
    case .inverse(let entity, _), .join(let entity, _, _): positions[binding.store.index].linkGenerations[entity] ?? 0
    case .reference, nil: 0
    }
  }

  /// Lets each loaded relationship be read again when it is next asked for.
  func forgetLoadedMembers() {
    for store in core.stores {
      for entity in core.entityNumbers(in: store.index) {
        positions[store.index].linkGenerations[entity, default: 0] += 1
      }
    }
  }

  /// From here on, what others save concerns objects of this context.
  private func noteFirstRead(_ store: StoreBinding, _ snapshot: borrowing StoreSnapshot) throws {
    if positions[store.index].processed == nil { positions[store.index].processed = try snapshot.lastTransactionNumber }
  }

  /// Runs a read for a caller that can not throw: a failure gives `fallback`, and the next throwing call throws it.
  private func reading<Result>(_ fallback: Result, _ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      note(error)
      return fallback
    }
  }

  /// Keeps an error for the next throwing call; an earlier one stays.
  func note(_ error: any Error) { noted = noted ?? error }

  func throwNoted() throws {
    if let error = noted {
      noted = nil
      throw error
    }
    try core.throwNoted()
  }

  /// Lets go of unmodified objects that nobody else holds, when there are twice as many as after the last time.
  func sweepIfLarge() {
    guard map.count >= sweepThreshold else { return }
    map.sweep { $0._$storage.isUnmodified }
    // The rest is held by the app, or by objects that loaded it as a member. Mostly it is little.
    map.forEach { $0._$storage.dropLoadedMembers() }
    map.sweep { $0._$storage.isUnmodified }
    sweepThreshold = max(4096, 2 * map.count)
  }
}

extension ModelStorage {
  fileprivate var isUnmodified: Bool { flags.isDisjoint(with: [.inserted, .changed, .deleted]) }
}

extension EntityBinding {
  /// For a to-many relationship without an inverse: the field of the other side's records that holds the owner.
  func hiddenOrdinal(of index: Int) -> Int? {
    guard case .inverse(_, let ordinal) = relationships[index]?.storage else { return nil }
    return ordinal
  }
}
