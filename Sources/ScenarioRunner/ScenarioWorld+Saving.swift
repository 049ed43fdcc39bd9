import RecordStore

extension ScenarioWorld {
  func save(_ changes: [Scenario.Change], on name: String, at time: UInt64, place: String) throws {
    let replica = replica(name)
    replica.time.set(at: time)
    let catalogue = try replica.store.read { $0.catalogue }
    let request = SaveRequest(
      author: name, changes: try changes.map { try self.change($0, catalogue: catalogue, place: place) })
    _ = try replica.store.commit(request)
  }

  private func change(_ change: Scenario.Change, catalogue: Catalogue, place: String) throws -> RecordChange {
    switch change {
    case .insert(let entity, let name, let values):
      let entity = try self.entity(entity, catalogue, place)
      let id = try record(name, entity: entity.name, place: place)
      return .insert(entity: entity.number, id: id, fields: try writes(values, of: entity, place: place))
    case .update(let name, let values):
      let known = try known(name, place: place)
      let entity = try self.entity(known.entity, catalogue, place)
      return .update(entity: entity.number, id: known.id, fields: try writes(values, of: entity, place: place))
    case .delete(let name):
      let known = try known(name, place: place)
      return .delete(entity: try entity(known.entity, catalogue, place).number, id: known.id)
    case .link(let name, let relationship, let other, let isLinked):
      let known = try known(name, place: place)
      return .link(
        entity: try entity(known.entity, catalogue, place).number, id: known.id, relationship: relationship,
        other: try self.known(other, place: place).id, isLinked: isLinked)
    }
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
    try values.map { name, value in
      guard let field = entity.field(named: name) else {
        throw ScenarioError("\(place): \(entity.name) has no field \"\(name)\"")
      }
      return FieldWrite(field.ordinal, try self.value(value, of: field, place: place))
    }.sorted { $0.ordinal < $1.ordinal }
  }

  func value(_ value: JSONValue, of field: CatalogueField, place: String) throws -> FieldValue {
    if field.type == .reference, case .string(let name) = value {
      return .reference(try known(name, place: place).id)
    }
    return try FieldValue(value, type: field.type, JSONReader(value: value, place: "\(place), \(field.name)"))
  }
}
