import RecordStore

/// Reads the entities of a scenario.
///
/// A relationship is declared on its to-one side; `inverse` names the to-many side, which gets the delete rule.
/// `"many": true` makes both sides to-many, `"one": true` both to-one.
/// An entity that only a relationship names has no attributes.
enum SchemaParser {
  static func schema(_ reader: JSONReader, version: SchemaVersion = SchemaVersion(1, 0, 0)) throws -> StoreSchema {
    var entities: [String: EntityDefinition] = [:]
    var order: [String] = []
    var relationships: [(owner: String, definition: Relationship)] = []
    for (name, entity) in try reader.members() {
      let members = try entity.members(
        optional: ["attributes", "unique", "groups", "relationships", "deleteIsFinal", "note"])
      var definition = EntityDefinition(name: name)
      definition.attributes = try members["attributes"]?.members().map(attribute) ?? []
      definition.uniquenessConstraints = try members["unique"]?.elements("constraint").map(names) ?? []
      definition.fieldGroups = try members["groups"]?.elements("group").map(names) ?? []
      definition.deleteIsFinal = try members["deleteIsFinal"]?.bool() ?? false
      for (relationship, reader) in try members["relationships"]?.members() ?? [] {
        relationships.append((name, try Relationship(relationship, reader)))
      }
      entities[name] = definition
      order.append(name)
    }
    for (owner, relationship) in relationships {
      if entities[relationship.destination] == nil {
        entities[relationship.destination] = EntityDefinition(name: relationship.destination)
        order.append(relationship.destination)
      }
      entities[owner]?.relationships.append(relationship.near)
      if relationship.isOrdered {
        entities[owner]?.attributes.append(
          AttributeDefinition(name: orderField(of: relationship.name), type: .string, isOptional: true))
      }
      if let far = relationship.far(owner: owner) { entities[relationship.destination]?.relationships.append(far) }
    }
    return StoreSchema(version: version, entities: order.compactMap { entities[$0] })
  }

  /// The attribute that holds an element's position on the other side of a relationship.
  static func orderField(of relationship: String) -> String { "\(relationship)~order" }

  /// The to-one relationships that say `"ordered": true`, by entity.
  static func ordered(_ reader: JSONReader) throws -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for (entity, reader) in try reader.members() {
      for (name, member) in try reader.members() where name == "relationships" {
        for (relationship, reader) in try member.members() where try Relationship(relationship, reader).isOrdered {
          found[entity, default: []].insert(relationship)
        }
      }
    }
    return found
  }

  /// A list of names, or one alone.
  private static func names(_ reader: JSONReader) throws -> [String] {
    if case .string(let name) = reader.value { return [name] }
    return try reader.strings()
  }

  /// `type`, `?` for optional, `=value` for a default. A `file` is data that is stored externally.
  private static func attribute(_ name: String, _ reader: JSONReader) throws -> AttributeDefinition {
    let text = try reader.string()
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let isOptional = parts[0].hasSuffix("?")
    guard let type = FieldType(scenarioName: String(isOptional ? parts[0].dropLast() : parts[0])) else {
      throw reader.failure("unknown type \"\(text)\"; known: string int double decimal bool date uuid data file")
    }
    var definition = AttributeDefinition(name: name, type: type, isOptional: isOptional)
    definition.isStoredExternally = parts[0].hasPrefix("file")
    if parts.count == 2 { definition.defaultValue = try FieldValue(text: String(parts[1]), type: type, reader) }
    return definition
  }

  private struct Relationship {
    var name: String
    var destination: String
    var isOptional: Bool
    var deleteRule: DeleteRule
    var inverse: String?
    var isMany: Bool
    var isOne: Bool
    var isOrdered: Bool

    init(_ name: String, _ reader: JSONReader) throws {
      let members = try reader.members(
        required: ["to"], optional: ["optional", "deleteRule", "inverse", "many", "one", "ordered", "note"])
      self.name = name
      destination = try members["to"]?.string() ?? ""
      isOptional = try members["optional"]?.bool() ?? true
      inverse = try members["inverse"]?.string()
      isMany = try members["many"]?.bool() ?? false
      isOne = try members["one"]?.bool() ?? false
      isOrdered = try members["ordered"]?.bool() ?? false
      guard !isOrdered || inverse != nil && !isMany && !isOne else {
        throw reader.failure("an ordered relationship is to-one and has a to-many inverse")
      }
      let rule = try members["deleteRule"]?.string() ?? "nullify"
      guard let known = DeleteRule(rawValue: rule) else {
        throw reader.failure("unknown delete rule \"\(rule)\"; known: cascade nullify deny noAction")
      }
      deleteRule = known
    }

    var near: RelationshipDefinition {
      RelationshipDefinition(
        name: name, destination: destination, isToMany: isMany, isOptional: isOptional, deleteRule: .nullify,
        inverse: inverse)
    }

    func far(owner: String) -> RelationshipDefinition? {
      inverse.map {
        RelationshipDefinition(
          name: $0, destination: owner, isToMany: !isOne, isOptional: true, deleteRule: deleteRule, inverse: name)
      }
    }
  }
}
