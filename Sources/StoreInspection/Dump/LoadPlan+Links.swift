import RecordStore

// Lists of related records.
extension LoadPlan {
  /// Keeps the lists of many-to-many relationships, which must agree with those of the other side.
  mutating func noteLists(of place: Int, in snapshot: borrowing StoreSnapshot) throws {
    let entry = entries[place]
    for link in entry.links {
      guard case .join(let join, let near, _) = link.relationship.storage else { continue }
      let ids = Set(try link.ids.map { try resolved($0, in: snapshot) })
      lists.note(ids, of: .init(join: join, near: near, id: entry.id), place: entry.place)
    }
  }

  mutating func stateLinks(of place: Int, in snapshot: borrowing StoreSnapshot) throws {
    let entry = entries[place]
    for link in entry.links {
      let relationship = link.relationship
      var wanted = Set<RecordID>()
      let ids = try link.ids.map { try resolved($0, in: snapshot) }
      let list = try self.list(of: relationship, entry, in: snapshot)
      let current = Set(list.ids)
      for (id, given) in zip(ids, link.ids) where wanted.insert(id).inserted {
        if !current.contains(id) {
          guard try isThere(id, relationship.destination, in: snapshot) else {
            throw missing(given, relationship.name, entry)
          }
        }
        try state(relationship, from: place, to: id, isLinked: true, isNew: !current.contains(id))
      }
      for id in list.ids.sorted() where !wanted.contains(id) {
        try state(relationship, from: place, to: id, isLinked: false, isNew: true)
      }
      var seen = Set<RecordID>()
      try order(ids.filter { seen.insert($0).inserted }, of: relationship, from: place, knowing: list)
    }
  }

  /// The members that the store has, with their positions where the relationship is ordered.
  private func list(
    of relationship: CatalogueRelationship, _ entry: Entry, in snapshot: borrowing StoreSnapshot
  ) throws -> OrderedList {
    guard entry.known != nil else { return OrderedList([]) }
    let number = entry.entity.number
    guard let field = catalogue.positionField(of: relationship, in: entry.entity) else {
      let ids = try snapshot.related(entry.id, of: number, relationship: relationship.name)
      return OrderedList(ids.map { OrderedList.Element(id: $0, key: nil) })
    }
    return try snapshot.orderedList(of: entry.id, number, relationship: relationship.name, field: field.name)
  }

  private mutating func state(
    _ relationship: CatalogueRelationship, from place: Int, to id: RecordID, isLinked: Bool, isNew: Bool
  ) throws {
    let entry = entries[place]
    switch relationship.storage {
    case .reference: preconditionFailure("a line writes the field of a reference")
    case .inverse(let holder, let ordinal):
      let register = LinkStatements.Register(key: RecordKey(entity: holder, id: id), ordinal: ordinal)
      let own = placeByID[id].flatMap { other in
        entries[other].references.first { $0.ordinal == ordinal }
          .map { (value: $0.value, place: entries[other].place) }
      }
      let value = isLinked ? FieldValue.reference(entry.id) : .null
      if isLinked { try lists.claim(value, of: register, place: entry.place, beside: own) }
      guard isNew else { return }
      if lists.assign(value, to: register, place: entry.place, beside: own?.value) { entries[place].isLinking = true }
    case .join(let join, let near, _):
      let (left, right) = near == 0 ? (entry.id, id) : (id, entry.id)
      let pair = LinkStatements.Pair(join: join, left: left, right: right)
      try lists.requireAgreement(on: pair, isLinked: isLinked, place: entry.place)
      guard isNew else { return }
      let change = RecordChange.link(
        entity: entry.entity.number, id: entry.id, relationship: relationship.name, other: id, isLinked: isLinked)
      try lists.state(pair, change, place: entry.place)
      entries[place].isLinking = true
    }
  }

  /// Gives the lines of records what lists of other lines say of them.
  mutating func distributeAssignments() throws {
    for (register, assignment) in lists.assignments {
      let field = catalogue.entities[register.key.entity].fields[register.ordinal]
      if assignment.value == .null, !field.isOptional {
        throw InspectionError(
          .wrongValue,
          "\(assignment.place) leaves out \(register.key.id), whose '\(field.name)' is required; list it, or "
            + "give it another '\(field.name)'")
      }
      if let place = placeByID[register.key.id] {
        entries[place].assigned.append(FieldWrite(register.ordinal, assignment.value))
        lists.remove(register)
      }
    }
  }

  /// Refuses two records with one target by a one-to-one, of which only the last would have it.
  func refuseSharedTargets() throws {
    let ordinals = exclusiveOrdinals
    var holders: [LinkStatements.Register: InputPlace] = [:]
    func note(_ value: FieldValue?, of holder: EntityNumber, _ ordinal: Int, _ place: InputPlace) throws {
      guard case .reference(let id)? = value else { return }
      let target = LinkStatements.Register(key: RecordKey(entity: holder, id: id), ordinal: ordinal)
      if let other = holders.updateValue(place, forKey: target) {
        throw LinkStatements.contradiction(place, other)
      }
    }
    for entry in entries {
      for ordinal in ordinals[entry.entity.number] {
        let own = entry.references.first { $0.ordinal == ordinal }
        let claim = lists.claim(of: .init(key: RecordKey(entity: entry.entity.number, id: entry.id), ordinal: ordinal))
        try note(own?.value ?? claim, of: entry.entity.number, ordinal, entry.place)
      }
    }
    for (register, claim) in lists.allClaims
    where placeByID[register.key.id] == nil && ordinals[register.key.entity].contains(register.ordinal) {
      try note(claim.value, of: register.key.entity, register.ordinal, claim.place)
    }
  }

  /// By entity, the ordinals of references whose target has only one holder.
  private var exclusiveOrdinals: [[Int]] {
    catalogue.entities.map { entity in
      entity.relationships.compactMap { relationship in
        guard case .reference(let ordinal) = relationship.storage, let inverse = relationship.inverse,
          let other = catalogue.entity(named: relationship.destination)?.relationship(named: inverse), !other.isToMany
        else { return nil }
        return ordinal
      }
    }
  }
}

// Ordered lists.
extension LoadPlan {
  /// States the positions by which members follow each other as a list has them.
  private mutating func order(
    _ ids: [RecordID], of relationship: CatalogueRelationship, from place: Int, knowing list: OrderedList
  ) throws {
    guard case .inverse(let holder, _) = relationship.storage,
      let field = catalogue.positionField(of: relationship, in: entries[place].entity)
    else { return }
    var known = list.keys
    let members = Set(list.ids)
    // A record that comes from another list has a position of that one.
    var isComing = false
    for id in ids {
      let own = placeByID[id].map { entries[$0] }
      if let write = own?.writes.last(where: { $0.ordinal == field.ordinal }) {
        if case .string(let text) = write.value { known[id] = OrderKey(text) } else { known[id] = nil }
      } else if !members.contains(id), own == nil || own?.known != nil {
        isComing = true
      }
    }
    let standing = OrderedList(ids.map { OrderedList.Element(id: $0, key: known[$0]) })
    guard isComing || standing.ids != ids else { return }
    let keys = OrderedList.keys(of: ids, known: known)
    for id in ids {
      guard let key = keys[id] else { continue }
      let write = FieldWrite(field.ordinal, .string(key.text))
      if let other = placeByID[id] {
        entries[other].writes.removeAll { $0.ordinal == field.ordinal }
        entries[other].writes.append(write)
      } else {
        lists.assign(write, of: RecordKey(entity: holder, id: id), place: entries[place].place)
      }
      entries[place].isLinking = true
    }
  }

  /// A record that goes to another ordered list stands last there: its position was one in the list that it leaves.
  func positionsLeftBehind(by stated: [FieldWrite], _ entry: Entry) -> [FieldWrite] {
    guard let known = entry.known else { return [] }
    return entry.entity.relationships.compactMap { relationship in
      guard case .reference(let ordinal) = relationship.storage,
        stated.contains(where: { $0.ordinal == ordinal && $0.value != .null }),
        let owner = catalogue.entity(named: relationship.destination),
        let list = relationship.inverse.flatMap({ owner.relationship(named: $0) }),
        let field = catalogue.positionField(of: list, in: owner),
        !entry.writes.contains(where: { $0.ordinal == field.ordinal }), known.value(of: field) != .null
      else { return nil }
      return FieldWrite(field.ordinal, .null)
    }
  }
}
