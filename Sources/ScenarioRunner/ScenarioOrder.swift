import RecordStore

/// Places in ordered relationships, as one transaction's steps give them: each sees those before it.
struct ScenarioOrder {
  private let world: ScenarioWorld
  private let replica: ScenarioReplica
  private let catalogue: Catalogue
  private let place: String
  private var lists: [List: OrderedList] = [:]
  /// The records to which elements refer since this transaction.
  private var owners: [RecordID: RecordID] = [:]

  private struct List: Hashable {
    var owner: RecordID
    var relationship: String
  }

  init(world: ScenarioWorld, replica: ScenarioReplica, catalogue: Catalogue, place: String) {
    self.world = world
    self.replica = replica
    self.catalogue = catalogue
    self.place = place
  }

  /// The writes of a change beyond itself: a new element stands last until a step says otherwise.
  mutating func changes(after change: Scenario.Change) throws -> [RecordChange] {
    switch change {
    case .insert(let entity, let name, let values):
      return try (world.scenario.ordered[entity] ?? []).sorted().flatMap { relationship -> [RecordChange] in
        guard case .string(let owner)? = values[relationship] else { return [] }
        let id = try world.known(name, place: place).id
        owners[id] = try world.known(owner, place: place).id
        return try put(id, entity, relationship, at: .last)
      }
    case .place(let name, let relationship, let position):
      let known = try world.known(name, place: place)
      let ordered = world.scenario.ordered[known.entity] ?? []
      guard let relationship = relationship ?? (ordered.count == 1 ? ordered.first : nil),
        ordered.contains(relationship)
      else {
        throw ScenarioError(
          "\(place): \(known.entity) has \(ordered.count) ordered relationships; name one with \"in\", and declare it "
            + "with \"ordered\": true")
      }
      return try put(known.id, known.entity, relationship, at: position)
    default: return []
    }
  }

  private mutating func put(
    _ id: RecordID, _ entity: String, _ relationship: String, at position: Scenario.Place
  ) throws -> [RecordChange] {
    guard let holder = catalogue.entity(named: entity), let reference = holder.field(named: relationship),
      let field = holder.field(named: SchemaParser.orderField(of: relationship)),
      let definition = holder.relationship(named: relationship), let inverse = definition.inverse,
      let destination = catalogue.entity(named: definition.destination)
    else { throw ScenarioError("\(place): \(entity) has no ordered relationship \"\(relationship)\"") }
    var neighbour: RecordID?
    switch position {
    case .before(let name), .after(let name): neighbour = try world.known(name, place: place).id
    case .first, .last: break
    }
    guard let owner = try owner(of: neighbour ?? id, holder, reference) else {
      throw ScenarioError("\(place): the record stands in no list of \(destination.name).\(inverse)")
    }
    let key = List(owner: owner, relationship: relationship)
    var list =
      try lists[key]
      ?? replica.store.read { snapshot in
        try snapshot.orderedList(of: owner, destination.number, relationship: inverse, field: field.name)
      }
    let others = list.ids.filter { $0 != id }
    let index: Int
    switch position {
    case .first: index = 0
    case .last: index = others.count
    case .before, .after:
      guard let found = neighbour.flatMap({ others.firstIndex(of: $0) }) else {
        throw ScenarioError("\(place): the neighbour is not to be seen in \(destination.name).\(inverse)")
      }
      if case .before = position { index = found } else { index = found + 1 }
    }
    let written = list.place(id, at: index)
    lists[key] = list
    let isMoved = try self.owner(of: id, holder, reference) != owner
    owners[id] = owner
    return written.map { element in
      var fields = [FieldWrite(field.ordinal, element.key.map { .string($0.text) } ?? .null)]
      if element.id == id, isMoved { fields.append(FieldWrite(reference.ordinal, .reference(owner))) }
      return .update(entity: holder.number, id: element.id, fields: fields.sorted { $0.ordinal < $1.ordinal })
    }
  }

  private func owner(of id: RecordID, _ entity: CatalogueEntity, _ field: CatalogueField) throws -> RecordID? {
    if let owner = owners[id] { return owner }
    return try replica.store.read { snapshot in
      guard case .reference(let owner)? = try snapshot.record(id, of: entity.number)?.value(of: field) else {
        return nil
      }
      return owner
    }
  }
}
