import RecordStore

/// The changes that lines ask of an existing store: the request of a load, and the outcome of each line.
///
/// A line states what differs from the store; a line of a new record states all that it has. Two lines must agree about
/// one field or link, whatever the store has: which of them is meant could only be guessed. The members of an ordered
/// list stand as their list has them, whatever positions their own lines give.
///
/// Costs one look-up for each line, each new reference and each unique value of a new record.
struct LoadPlan {
  struct Entry {
    let place: InputPlace
    /// Whether the line has what readers see, which does not tell what was never written.
    let isListed: Bool
    let entity: CatalogueEntity
    var id: RecordID
    /// Nil: the record is new.
    var known: RecordImage?
    /// The fields that the line has; then those that it states.
    var writes: [FieldWrite]
    /// The references that the line has, those that the store has already among them.
    var references: [FieldWrite] = []
    let links: [RecordLine.Link]
    /// The fields that lists of other lines state of this record.
    var assigned: [FieldWrite] = []
    /// Whether the line's lists state anything.
    var isLinking = false
  }

  private struct Claim: Hashable {
    let index: Int
    let values: [FieldValue]
  }

  private(set) var outcome = RecordLoad.Outcome()
  let catalogue: Catalogue
  private let dumped: Catalogue?
  var entries: [Entry] = []
  private var joins: [(line: Line, entity: CatalogueEntity, writes: [FieldWrite])] = []
  private(set) var placeByID: [RecordID: Int] = [:]
  /// Ids of lines whose record has another one in the store.
  private var renamed: [RecordID: RecordID] = [:]
  var lists = LinkStatements()
  private var typedFields = TypedFields()

  /// `dumped`: the catalogue of the dump that the lines belong to. A field that a record of a dump does not have is
  /// taken as the dumped store reads it.
  init(_ lines: [Line], dumped: Catalogue?, in snapshot: borrowing StoreSnapshot) throws {
    (catalogue, self.dumped) = (snapshot.catalogue, dumped)
    for line in lines { try take(line, in: snapshot) }
    try findHolders(in: snapshot)
    for place in entries.indices { try stateFields(of: place, in: snapshot) }
    for place in entries.indices { try noteLists(of: place, in: snapshot) }
    for place in entries.indices { try stateLinks(of: place, in: snapshot) }
    for join in joins { try statePair(of: join.line, join.entity, join.writes, in: snapshot) }
    try distributeAssignments()
    try refuseSharedTargets()
    for entry in entries { count(entry) }
  }

  private mutating func count(_ entry: Entry) {
    if entry.known == nil {
      outcome.inserted += 1
    } else if entry.writes.isEmpty, entry.assigned.isEmpty, !entry.isLinking {
      outcome.unchanged += 1
    } else {
      outcome.updated += 1
    }
  }

  /// Updates come first, because they may give up unique values that new records have, and links last.
  func request(author: String?) -> SaveRequest {
    var updates: [RecordChange] = []
    var inserts: [RecordChange] = []
    for entry in entries {
      let fields = entry.writes + entry.assigned
      if entry.known == nil {
        inserts.append(.insert(entity: entry.entity.number, id: entry.id, fields: fields))
      } else if !fields.isEmpty {
        updates.append(.update(entity: entry.entity.number, id: entry.id, fields: fields))
      }
    }
    return SaveRequest(author: author, changes: updates + inserts + lists.changes)
  }
}

// Which record each line is about.
extension LoadPlan {
  private mutating func take(_ line: Line, in snapshot: borrowing StoreSnapshot) throws {
    guard line.isVisible else {
      outcome.unchanged += 1
      return
    }
    guard let entity = catalogue.entity(named: line.entityName) else {
      throw InspectionError(
        .unknownName,
        "\(line.place) names the entity '\(line.entityName)', which the store does not have; load into a new store")
    }
    guard entity.isDeclared else {
      throw InspectionError(
        .unknownName,
        "\(line.place) names the entity '\(entity.name)', which the store's schema does not declare; remove it")
    }
    let (writes, links) = try contents(of: line, entity)
    if entity.isJoin {
      joins.append((line, entity, writes))
      return
    }
    let known = try line.id.flatMap { try snapshot.image($0, of: entity.number) }
    if known == nil, let id = line.id { try refuseForeign(id, of: line, entity, in: snapshot) }
    let id = known?.id ?? line.newID
    if let other = placeByID.updateValue(entries.count, forKey: id) {
      throw InspectionError(
        .malformedLine,
        "\(line.place) is about the same record as \(entries[other].place); remove one of the two")
    }
    if id != line.newID { renamed[line.newID] = id }
    entries.append(
      Entry(
        place: line.place, isListed: line.isListed, entity: entity, id: id, known: known, writes: writes, links: links))
  }

  /// An id names one record of the store, whatever its entity.
  private func refuseForeign(
    _ id: RecordID, of line: Line, _ entity: CatalogueEntity, in snapshot: borrowing StoreSnapshot
  ) throws {
    guard let other = try snapshot.entity(of: id), other != entity.number else { return }
    throw InspectionError(
      .wrongValue,
      "\(line.place) gives '\(entity.name)' the id \(id), which is one of '\(catalogue.entities[other].name)' in the "
        + "store; leave the id out, or correct the line")
  }

  private mutating func contents(
    of line: Line, _ entity: CatalogueEntity
  ) throws -> (writes: [FieldWrite], links: [RecordLine.Link]) {
    switch line.content {
    case .line(let record):
      let (writes, links) = try record.contents(for: entity, line: line.place.number)
      return (writes.map(\.write), links)
    case .typed(let record):
      let writes = try typedFields.writes(of: record, entity)
      return (writes, try record.links.map { try TypedFields.link($0, entity, record.place) })
    }
  }

  /// New records whose unique value the store has: their lines are about its records.
  private mutating func findHolders(in snapshot: borrowing StoreSnapshot) throws {
    var claims: [Claim: Int] = [:]
    for isKnown in [true, false] {
      for place in entries.indices where (entries[place].known != nil) == isKnown {
        for index in entries[place].entity.indexes where index.isUnique {
          try claim(index, for: place, &claims, in: snapshot)
        }
      }
    }
  }

  private mutating func claim(
    _ index: CatalogueIndex, for place: Int, _ claims: inout [Claim: Int], in snapshot: borrowing StoreSnapshot
  ) throws {
    let entry = entries[place]
    let values = index.components.map { component in
      let written = entry.writes.last { $0.ordinal == component.ordinal }?.value
      if case .reference(let id)? = written { return FieldValue.reference(renamed[id] ?? id) }
      let field = entry.entity.fields[component.ordinal]
      return written ?? entry.known?.value(of: field) ?? field.valueWhenAbsent
    }
    guard !values.contains(.null) else { return }
    let claim = Claim(index: index.number, values: values)
    if let other = claims[claim] {
      throw InspectionError(
        .wrongValue,
        "\(entry.place) has the same unique value of '\(entry.entity.name)' as \(entries[other].place); "
          + "remove one of the two")
    }
    claims[claim] = place
    // A holder with a line of its own has given the value up there.
    guard entry.known == nil, let holder = try snapshot.lookUp(index, of: entry.entity.number, values: values),
      placeByID[holder] == nil
    else { return }
    renamed[entry.id] = holder
    placeByID[entry.id] = nil
    placeByID[holder] = place
    entries[place].id = holder
    entries[place].known = try snapshot.image(holder, of: entry.entity.number)
  }
}

// Values of fields.
extension LoadPlan {
  private mutating func stateFields(of place: Int, in snapshot: borrowing StoreSnapshot) throws {
    let entry = entries[place]
    var stated: [FieldWrite] = []
    for write in entry.writes {
      let field = entry.entity.fields[write.ordinal]
      let value = try resolved(write.value, field, entry, in: snapshot)
      // A value that a sparse field of a new record reads without being written is not written.
      let isKnown =
        entry.known?.holds(value, in: field)
        ?? (entry.isListed && field.isSparse && field.valueWhenAbsent.isIdentical(to: value))
      // A dump has what each record wrote, and only the store knows which of two that contradict each other counts.
      if field.type == .reference, !isKnown || dumped == nil {
        entries[place].references.append(FieldWrite(write.ordinal, value))
      }
      if isKnown { continue }
      guard field.isDeclared else {
        if value == .null { continue }
        throw InspectionError(
          .unknownName,
          "\(entry.place) names the field '\(field.name)', which the schema of '\(entry.entity.name)' does not "
            + "declare; remove it")
      }
      stated.append(FieldWrite(write.ordinal, value))
    }
    if entry.known == nil { try complete(&stated, of: entry) }
    stated += positionsLeftBehind(by: stated, entry)
    entries[place].writes = stated
  }

  /// Refuses a new record without what it must have. The store would make a value up, and it would travel.
  private func complete(_ stated: inout [FieldWrite], of entry: Entry) throws {
    for field in entry.entity.fields where field.isDeclared && !field.isOptional && field.defaultValue == nil {
      guard !stated.contains(where: { $0.ordinal == field.ordinal }) else { continue }
      guard let value = dumpedValue(of: field, entry) else {
        throw InspectionError(
          .wrongValue,
          "\(entry.place) has no value for '\(field.name)' of '\(entry.entity.name)', which is required and has "
            + "no default; add it")
      }
      stated.append(FieldWrite(field.ordinal, value))
    }
  }

  private func resolved(
    _ value: FieldValue, _ field: CatalogueField, _ entry: Entry, in snapshot: borrowing StoreSnapshot
  ) throws -> FieldValue {
    if case .reference(let id) = value {
      let target = try resolved(id, in: snapshot)
      if let known = entry.known, known.value(of: field) == .reference(target) { return .reference(target) }
      if try isThere(target, field.destination, in: snapshot) { return .reference(target) }
      // A dumped store reads nil of a record that it does not show.
      guard dumped != nil, field.isOptional else { throw missing(id, field.name, entry) }
      return .null
    }
    guard value == .null, !field.isOptional, field.isDeclared else { return value }
    guard let value = dumpedValue(of: field, entry) else {
      throw InspectionError(
        .wrongValue,
        "\(entry.place) has null for '\(field.name)' of '\(entry.entity.name)', which is required; add one")
    }
    return value
  }

  /// The dumped store's value of a field that a record does not have.
  private func dumpedValue(of field: CatalogueField, _ entry: Entry) -> FieldValue? {
    let dumped = dumped?.entity(named: entry.entity.name)?.field(named: field.name)
    return dumped.map(\.valueWhenAbsent).flatMap { $0.type == field.type ? $0 : nil }
  }

  func resolved(_ id: RecordID, in snapshot: borrowing StoreSnapshot) throws -> RecordID {
    if let id = renamed[id] { return id }
    return placeByID[id] == nil ? try snapshot.canonical(id) : id
  }

  /// Whether a record of an entity, or of one that inherits from it, is in the store or in a line.
  func isThere(_ id: RecordID, _ name: String?, in snapshot: borrowing StoreSnapshot) throws -> Bool {
    guard let name else { return true }
    if let place = placeByID[id] { return isKind(entries[place].entity, of: name) }
    for entity in catalogue.entities where isKind(entity, of: name) {
      if try snapshot.row(id, of: entity.number) != nil { return true }
    }
    return false
  }

  private func isKind(_ entity: CatalogueEntity, of name: String) -> Bool {
    // No longer than there are entities, should a catalogue contradict itself.
    var next: CatalogueEntity? = entity
    for _ in catalogue.entities {
      guard let entity = next else { return false }
      if entity.name == name { return true }
      next = entity.superentity.flatMap { catalogue.entity(named: $0) }
    }
    return false
  }

  func missing(_ id: RecordID, _ name: String, _ entry: Entry) -> InspectionError {
    InspectionError(
      .wrongValue,
      "\(entry.place) refers by '\(name)' to \(id), which neither the store nor another line has; add a line for "
        + "it, or leave it out")
  }
}

// Links of many-to-many relationships, as dumps have them.
extension LoadPlan {
  private mutating func statePair(
    of line: Line, _ join: CatalogueEntity, _ writes: [FieldWrite], in snapshot: borrowing StoreSnapshot
  ) throws {
    guard let (owner, relationship, near) = self.owner(of: join), let id = reference(near, in: writes),
      let other = reference(1 - near, in: writes)
    else {
      throw InspectionError(
        .wrongValue, "\(line.place) links no two records of '\(join.name)'; remove it")
    }
    let (first, second) = (try resolved(id, in: snapshot), try resolved(other, in: snapshot))
    for (given, id, name) in [(id, first, owner.name), (other, second, relationship.destination)]
    where try !isThere(id, name, in: snapshot) {
      guard dumped == nil else {
        // The dumped store does not show it either.
        outcome.unchanged += 1
        return
      }
      throw InspectionError(
        .wrongValue,
        "\(line.place) links \(given), which neither the store nor another line has; add a line for it, or "
          + "remove this one")
    }
    let (left, right) = near == 0 ? (first, second) : (second, first)
    let pair = LinkStatements.Pair(join: join.number, left: left, right: right)
    try lists.requireAgreement(on: pair, place: line.place)
    guard try !isLinked(first, second, owner, relationship, in: snapshot) else {
      outcome.unchanged += 1
      return
    }
    let change = RecordChange.link(
      entity: owner.number, id: first, relationship: relationship.name, other: second, isLinked: true)
    try lists.state(pair, change, place: line.place)
    outcome.inserted += 1
  }

  private func isLinked(
    _ first: RecordID, _ second: RecordID, _ owner: CatalogueEntity, _ relationship: CatalogueRelationship,
    in snapshot: borrowing StoreSnapshot
  ) throws -> Bool {
    for id in [first, second] {
      if let place = placeByID[id], entries[place].known == nil { return false }
    }
    return try snapshot.related(first, of: owner.number, relationship: relationship.name).contains(second)
  }

  private func owner(
    of join: CatalogueEntity
  ) -> (entity: CatalogueEntity, relationship: CatalogueRelationship, near: Int)? {
    for entity in catalogue.entities {
      for relationship in entity.relationships {
        if case .join(join.number, let near, _) = relationship.storage { return (entity, relationship, near) }
      }
    }
    return nil
  }

  private func reference(_ ordinal: Int, in writes: [FieldWrite]) -> RecordID? {
    for write in writes where write.ordinal == ordinal {
      if case .reference(let id) = write.value { return id }
    }
    return nil
  }
}
