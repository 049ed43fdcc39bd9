import RecordStore

extension ScenarioWorld {
  func save(
    _ changes: [Scenario.Change], once: Scenario.Once?, on name: String, at time: UInt64, place: String
  ) throws {
    let replica = replica(name)
    replica.time.set(at: time)
    let catalogue = try replica.store.read { $0.catalogue }
    var order = ScenarioOrder(world: self, replica: replica, catalogue: catalogue, place: place)
    var work = LocalWork()
    for change in changes {
      work.changes += try self.changes(change, catalogue: catalogue, on: replica, place: place)
      work.changes += try order.changes(after: change)
    }
    work.keepsUpdatesOfUnknownRecords = keepsUpdatesOfUnknownRecords
    work.once = try once.map { try OnceKey($0.key) }
    let result = try replica.store.commit(SaveRequest(author: name, .save(work)))
    guard let once, let wanted = once.isPerformed, wanted != (result.once == .performed) else { return }
    throw ScenarioError("\(place): the once transaction \(wanted ? "was done before" : "had its effect now")")
  }

  private func changes(
    _ change: Scenario.Change, catalogue: Catalogue, on replica: ScenarioReplica, place: String
  ) throws -> [RecordChange] {
    switch change {
    case .insert(let entity, let name, let values):
      let entity = try self.entity(entity, catalogue, place)
      let id = try record(name, entity: entity.name, place: place)
      let fields = try writes(values, of: entity, place: place)
      return [.insert(entity: entity.number, id: id, fields: fields)]
        + (try links(values, of: id, entity, on: replica, place: place))
    case .update(let name, let values):
      let known = try known(name, place: place)
      let entity = try self.entity(known.entity, catalogue, place)
      let fields = try writes(values, of: entity, place: place)
      let links = try links(values, of: known.id, entity, on: replica, place: place)
      if fields.isEmpty && !links.isEmpty { return links }
      return [.update(entity: entity.number, id: known.id, fields: fields)] + links
    case .delete(let name):
      let known = try known(name, place: place)
      return [.delete(entity: try entity(known.entity, catalogue, place).number, id: known.id)]
    // The order says where; see ScenarioOrder.
    case .place: return []
    case .link(let name, let relationship, let other, let isLinked):
      let known = try known(name, place: place)
      return [
        .link(
          entity: try entity(known.entity, catalogue, place).number, id: known.id, relationship: relationship,
          other: try self.known(other, place: place).id, isLinked: isLinked)
      ]
    }
  }

  /// The changes that a list of names for the other side of a relationship asks for: links that are missing are made,
  /// others taken away.
  private func links(
    _ values: [String: JSONValue], of id: RecordID, _ entity: CatalogueEntity, on replica: ScenarioReplica,
    place: String
  ) throws -> [RecordChange] {
    var changes: [RecordChange] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where entity.field(named: name) == nil {
      guard let relationship = entity.relationship(named: name) else { continue }
      let wanted = Set(try value.names(place: "\(place), \(name)").map { try known($0, place: place).id })
      let present = try replica.store.read { snapshot in
        Set(try snapshot.related(id, of: entity.number, relationship: name))
      }
      for other in wanted.symmetricDifference(present).sorted() {
        let isLinked = wanted.contains(other)
        if case .inverse(let holder, let ordinal) = relationship.storage {
          let target = isLinked ? FieldValue.reference(id) : .null
          changes.append(.update(entity: holder, id: other, fields: [FieldWrite(ordinal, target)]))
        } else {
          changes.append(
            .link(entity: entity.number, id: id, relationship: name, other: other, isLinked: isLinked))
        }
      }
    }
    return changes
  }

  private func entity(_ name: String, _ catalogue: Catalogue, _ place: String) throws -> CatalogueEntity {
    guard let entity = catalogue.entity(named: name) else {
      throw ScenarioError("\(place): there is no entity \"\(name)\"")
    }
    return entity
  }

  private func writes(
    _ values: [String: JSONValue], of entity: CatalogueEntity, place: String
  ) throws -> [FieldWrite] {
    try values.compactMap { name, value in
      guard let field = entity.field(named: name) else {
        if entity.relationship(named: name) != nil { return nil }
        throw ScenarioError("\(place): \(entity.name) has no field \"\(name)\"; declare it under entities")
      }
      return FieldWrite(field.ordinal, try self.value(value, of: field, place: place))
    }.sorted { $0.ordinal < $1.ordinal }
  }

  func value(_ value: JSONValue, of field: CatalogueField, place: String) throws -> FieldValue {
    if field.type == .reference {
      let names = try value.names(place: "\(place), \(field.name)")
      guard names.count <= 1 else {
        throw ScenarioError("\(place): \(field.name) takes one record, here are \(names.count)")
      }
      return try names.first.map { .reference(try known($0, place: place).id) } ?? .null
    }
    return try FieldValue(value, type: field.type, JSONReader(value: value, place: "\(place), \(field.name)"))
  }
}

extension JSONValue {
  /// Names of records: one, a list of them, or none (`null`).
  func names(place: String) throws -> [String] {
    switch self {
    case .null: return []
    case .string(let name): return [name]
    case .array(let values):
      return try values.map { value in
        guard case .string(let name) = value else {
          throw ScenarioError("\(place): expected a record's name, found \(value)")
        }
        return name
      }
    default: throw ScenarioError("\(place): expected a record's name, a list of names or null, found \(self)")
    }
  }
}
