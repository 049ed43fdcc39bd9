public import RecordStore

/// The schema that tests of the engine share, so that a reader learns it once.
///
/// ```
/// Trip ──stops (cascade)──▸ Stop ──visits──▸ City        Trip ◂──trips──tags──▸ Tag (many-to-many)
/// Trip ──pass (one-to-one)──▸ Pass                        Stop ──next──▸ Stop (self reference)
/// City ◂──(deny)── Stop                                   Person ──notes, without inverse──▸ Note
/// ```
extension StoreSchema {
  public static var fixture: StoreSchema {
    StoreSchema(entities: [.trip, .stop, .city, .tag, .pass, .person, .note])
  }
}

extension EntityDefinition {
  static var trip: EntityDefinition {
    EntityDefinition(
      name: "Trip",
      attributes: [
        AttributeDefinition(name: "name", type: .string),
        AttributeDefinition(name: "start", type: .date, isOptional: true),
        AttributeDefinition(name: "price", type: .decimal, isOptional: true, preservesValueOnDeletion: true),
        AttributeDefinition(name: "isFavorite", type: .bool, defaultValue: .bool(false)),
        AttributeDefinition(name: "rating", type: .int, defaultValue: .int(3)),
      ],
      relationships: [
        RelationshipDefinition(
          name: "stops", destination: "Stop", isToMany: true, deleteRule: .cascade, inverse: "trip"),
        RelationshipDefinition(name: "tags", destination: "Tag", isToMany: true, inverse: "trips"),
        RelationshipDefinition(name: "pass", destination: "Pass", deleteRule: .cascade, inverse: "trip"),
      ],
      uniquenessConstraints: [["name"]], indexes: [IndexDefinition("rating"), IndexDefinition("start", "name")])
  }

  static var stop: EntityDefinition {
    EntityDefinition(
      name: "Stop",
      attributes: [
        AttributeDefinition(name: "title", type: .string),
        AttributeDefinition(name: "position", type: .int, defaultValue: .int(0)),
      ],
      relationships: [
        RelationshipDefinition(name: "trip", destination: "Trip", isOptional: false, inverse: "stops"),
        RelationshipDefinition(name: "city", destination: "City", inverse: "stops"),
        RelationshipDefinition(name: "next", destination: "Stop", inverse: "previous"),
        RelationshipDefinition(name: "previous", destination: "Stop", isToMany: true, inverse: "next"),
      ],
      uniquenessConstraints: [["trip", "position"]])
  }

  static var city: EntityDefinition {
    EntityDefinition(
      name: "City", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(name: "stops", destination: "Stop", isToMany: true, deleteRule: .deny, inverse: "city")
      ],
      uniquenessConstraints: [["name"]])
  }

  static var tag: EntityDefinition {
    EntityDefinition(
      name: "Tag", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [RelationshipDefinition(name: "trips", destination: "Trip", isToMany: true, inverse: "tags")],
      uniquenessConstraints: [["name"]])
  }

  static var pass: EntityDefinition {
    EntityDefinition(
      name: "Pass", attributes: [AttributeDefinition(name: "code", type: .uuid, isOptional: true)],
      relationships: [RelationshipDefinition(name: "trip", destination: "Trip", inverse: "pass")])
  }

  static var person: EntityDefinition {
    EntityDefinition(
      name: "Person", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "notes", destination: "Note", isToMany: true, deleteRule: .cascade, maximumCount: 3)
      ])
  }

  static var note: EntityDefinition {
    EntityDefinition(
      name: "Note",
      attributes: [
        AttributeDefinition(name: "text", type: .string, isOptional: true),
        AttributeDefinition(name: "x", type: .double, defaultValue: .double(0)),
        AttributeDefinition(name: "y", type: .double, defaultValue: .double(0)),
      ],
      fieldGroups: [["x", "y"]])
  }
}

/// Entities, ordinals and values by name, for tests that read like sentences.
public struct FixtureNames: Sendable {
  public let catalogue: Catalogue
  public init(_ catalogue: Catalogue) { self.catalogue = catalogue }
  public init(_ store: RecordStore) throws { catalogue = try store.read { $0.catalogue } }

  public func entity(_ name: String) -> EntityNumber {
    guard let entity = catalogue.entity(named: name) else { preconditionFailure("the fixture has no entity \(name)") }
    return entity.number
  }

  public func ordinal(_ entity: String, _ field: String) -> Int {
    guard let field = catalogue.entity(named: entity)?.field(named: field) else {
      preconditionFailure("the fixture has no field \(entity).\(field)")
    }
    return field.ordinal
  }

  public func insert(_ entity: String, _ id: RecordID, _ fields: [String: FieldValue] = [:]) -> RecordChange {
    .insert(entity: self.entity(entity), id: id, fields: writes(entity, fields))
  }

  public func update(_ entity: String, _ id: RecordID, _ fields: [String: FieldValue]) -> RecordChange {
    .update(entity: self.entity(entity), id: id, fields: writes(entity, fields))
  }

  public func delete(_ entity: String, _ id: RecordID) -> RecordChange {
    .delete(entity: self.entity(entity), id: id)
  }

  public func link(
    _ entity: String, _ id: RecordID, _ relationship: String, _ other: RecordID, _ isLinked: Bool = true
  ) -> RecordChange {
    .link(entity: self.entity(entity), id: id, relationship: relationship, other: other, isLinked: isLinked)
  }

  private func writes(_ entity: String, _ fields: [String: FieldValue]) -> [FieldWrite] {
    fields.map { FieldWrite(ordinal(entity, $0.key), $0.value) }.sorted { $0.ordinal < $1.ordinal }
  }
}

extension RecordStore {
  /// Saves changes.
  @discardableResult
  public func save(_ changes: RecordChange...) throws -> SaveResult { try commit(SaveRequest(changes: changes)) }

  /// What readers see of a field; nil if the record is not visible.
  public func value(_ entity: String, _ id: RecordID, _ field: String) throws -> FieldValue? {
    try read { snapshot throws in
      guard let definition = snapshot.catalogue.entity(named: entity), let field = definition.field(named: field) else {
        return nil
      }
      return try snapshot.record(id, of: definition.number)?.value(of: field)
    }
  }

  public func isVisible(_ entity: String, _ id: RecordID) throws -> Bool {
    try read { snapshot throws in
      guard let definition = snapshot.catalogue.entity(named: entity) else { return false }
      return try snapshot.record(id, of: definition.number) != nil
    }
  }

  public func related(_ entity: String, _ id: RecordID, _ relationship: String) throws -> [RecordID] {
    try read { snapshot throws in
      guard let definition = snapshot.catalogue.entity(named: entity) else { return [] }
      return try snapshot.related(id, of: definition.number, relationship: relationship)
    }
  }
}

/// Ids that are easy to tell apart in a failure, rising.
public func fixtureID(_ number: UInt64) -> RecordID { RecordID(high: 0x0190_0000_0000_0000, low: number) }
