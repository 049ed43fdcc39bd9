import RecordStore
import StoreInspection

extension StoreDifference {
  /// All differences of two stores, by entity and id. Holds the differences alone; costs one look-up a record.
  static func all(
    _ left: borrowing StoreSnapshot, _ right: borrowing StoreSnapshot, entity: String?, forPeople: Bool
  ) throws -> [StoreDifference] {
    let (first, second) = (left.catalogue, right.catalogue)
    let known = Set((first.entities + second.entities).filter { !$0.isJoin }.map(\.name)).sorted()
    if let entity, !known.contains(entity) {
      throw CommandFailure(
        "neither store has an entity '\(DisplayText.visible(entity))'; "
          + NameSuggestion.sentence(for: entity, among: known))
    }
    var differences: [StoreDifference] = []
    for name in known where entity == nil || entity == name {
      let sides = (first.entity(named: name), second.entity(named: name))
      var found: [StoreDifference] = []
      if let own = sides.0 {
        try forEachRecord(of: own, in: left) { record in
          let other = try sides.1.flatMap { try right.image(record.id, of: $0.number) }
          guard let other, let entity = sides.1 else {
            found.append(alone(.onlyInFirst, record, in: first))
            return
          }
          let comparison = RecordComparison(name: name, entities: (own, entity), records: (record, other))
          if let difference = try comparison.difference(left, right, forPeople: forPeople) { found.append(difference) }
        }
      }
      if let other = sides.1 {
        try forEachRecord(of: other, in: right) { record in
          let own = try sides.0.flatMap { try left.row(record.id, of: $0.number) }
          if own == nil { found.append(alone(.onlyInSecond, record, in: second)) }
        }
      }
      differences += found.sorted { $0.id < $1.id }
    }
    return differences
  }

  private static func forEachRecord(
    of entity: CatalogueEntity, in snapshot: borrowing StoreSnapshot, _ body: (RecordImage) throws -> Void
  ) throws {
    let query = RecordQuery(entity: entity.number, includesSubentities: false)
    try snapshot.forEachRow(query) { row in
      try body(row.image())
      return true
    }
  }

  private static func alone(_ kind: Kind, _ record: RecordImage, in catalogue: Catalogue) -> StoreDifference {
    StoreDifference(
      kind: kind, entity: catalogue.entities[record.entity].name, id: record.id,
      name: RecordName.text(of: record, in: catalogue))
  }
}

/// One record as two stores have it.
private struct RecordComparison {
  let name: String
  let entities: (CatalogueEntity, CatalogueEntity)
  let records: (RecordImage, RecordImage)

  func difference(
    _ left: borrowing StoreSnapshot, _ right: borrowing StoreSnapshot, forPeople: Bool
  ) throws -> StoreDifference? {
    let names = entities.0.fields.map(\.name) + entities.1.fields.map(\.name)
    var fields: [StoreDifference.Field] = []
    var seen: Set<String> = []
    for name in names where seen.insert(name).inserted {
      if let field = try field(name, left, right, forPeople: forPeople) { fields.append(field) }
    }
    for relationship in entities.0.relationships + entities.1.relationships
    where relationship.isHeldByJoinFirst && seen.insert(relationship.name).inserted {
      if let field = try links(relationship.name, left, right) { fields.append(field) }
    }
    guard !fields.isEmpty else { return nil }
    return StoreDifference(
      kind: .changed, entity: name, id: records.0.id, name: RecordName.text(of: records.0, in: left.catalogue),
      fields: fields)
  }

  private func field(
    _ name: String, _ left: borrowing StoreSnapshot, _ right: borrowing StoreSnapshot, forPeople: Bool
  ) throws -> StoreDifference.Field? {
    let fields = (entities.0.field(named: name), entities.1.field(named: name))
    guard !isEqual(fields.0, fields.1) else { return nil }
    let first = try side(records.0, fields.0, forPeople, in: left)
    let second = try side(records.1, fields.1, forPeople, in: right)
    return StoreDifference.Field(
      name: name, first: first.json, second: second.json, firstText: first.text, secondText: second.text)
  }

  /// Values that lie beside a store are compared without being read, so also those that are not on its device.
  private func isEqual(_ first: CatalogueField?, _ second: CatalogueField?) -> Bool {
    guard let first, let second else {
      let known = first.map { records.0.storedValue(of: $0) } ?? second.map { records.1.storedValue(of: $0) }
      return known ?? .null == .null
    }
    let stored = records.1.storedValue(of: second)
    return records.0.storedValue(of: first).isIdentical(to: stored)
      || records.0.holds(stored, in: first) || records.1.holds(records.0.storedValue(of: first), in: second)
  }

  /// Without JSON where the value is not on this device.
  private func side(
    _ record: RecordImage, _ field: CatalogueField?, _ forPeople: Bool, in snapshot: borrowing StoreSnapshot
  ) throws -> (json: JSON?, text: String) {
    guard let field else { return (.null, "nothing") }
    if record.isMissing(field) { return (nil, DisplayText.missingValue) }
    let value = record.value(of: field)
    return (value.programJSON, try text(value, field, forPeople, in: snapshot))
  }

  private func text(
    _ value: FieldValue, _ field: CatalogueField, _ forPeople: Bool, in snapshot: borrowing StoreSnapshot
  ) throws -> String {
    guard forPeople, value != .null else { return "nothing" }
    var names = TargetNames(isWanted: true)
    try names.note(value, field, in: snapshot)
    if case .string(let text) = value { return "\"\(DisplayText.visible(text))\"" }
    return names.text(of: value)
  }

  private func links(
    _ name: String, _ left: borrowing StoreSnapshot, _ right: borrowing StoreSnapshot
  ) throws -> StoreDifference.Field? {
    let ids = (
      try left.related(records.0.id, of: entities.0.number, relationship: name),
      try right.related(records.1.id, of: entities.1.number, relationship: name)
    )
    guard ids.0 != ids.1 else { return nil }
    func json(_ ids: [RecordID]) -> JSON { .array(ids.map { .string($0.description) }) }
    func text(_ ids: [RecordID]) -> String {
      ids.isEmpty ? "nothing" : ids.map(\.description).joined(separator: ", ")
    }
    return StoreDifference.Field(
      name: name, first: json(ids.0), second: json(ids.1), firstText: text(ids.0), secondText: text(ids.1))
  }
}

extension CatalogueRelationship {
  /// Whether it is the side of a many-to-many relationship that tells all links.
  fileprivate var isHeldByJoinFirst: Bool {
    if case .join(_, let near, _) = storage { near == 0 } else { false }
  }
}
