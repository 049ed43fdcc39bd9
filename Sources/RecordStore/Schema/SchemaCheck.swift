/// Whether a schema agrees with itself. Throws `invalidSchema`, naming entity and property.
struct SchemaCheck {
  let schema: StoreSchema
  private let entities: [String: EntityDefinition]

  init(_ schema: StoreSchema) throws {
    self.schema = schema
    var entities: [String: EntityDefinition] = [:]
    for entity in schema.entities {
      guard entities.updateValue(entity, forKey: entity.name) == nil else {
        throw SchemaCheck.flaw("the entity \(entity.name) is declared twice")
      }
    }
    self.entities = entities
  }

  func run() throws {
    for entity in schema.entities {
      try checkNames(of: entity)
      for attribute in entity.attributes { try check(attribute, of: entity) }
      for relationship in entity.relationships { try check(relationship, of: entity) }
      try checkKeys(of: entity)
      if let parent = entity.superentity, entities[parent] == nil {
        throw SchemaCheck.flaw("\(entity.name) inherits from \(parent), which is not declared")
      }
    }
  }

  private func checkNames(of entity: EntityDefinition) throws {
    let all = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    guard !entity.name.isEmpty, !entity.name.hasPrefix("~") else {
      throw SchemaCheck.flaw("an entity may not be named “\(entity.name)”")
    }
    for name in all {
      guard !name.isEmpty, !name.hasPrefix("~") else {
        throw SchemaCheck.flaw("a property of \(entity.name) may not be named “\(name)”")
      }
    }
    guard Set(all).count == all.count else {
      let twice = all.first { name in all.count { $0 == name } > 1 } ?? ""
      throw SchemaCheck.flaw("\(entity.name).\(twice) is declared twice")
    }
    guard all.count < RecordFormat.maximumFieldCount else {
      throw SchemaCheck.flaw("\(entity.name) has more than \(RecordFormat.maximumFieldCount) properties")
    }
  }

  private func check(_ attribute: AttributeDefinition, of entity: EntityDefinition) throws {
    guard let value = attribute.defaultValue else { return }
    guard value.type == attribute.type || value == .null && attribute.isOptional else {
      throw SchemaCheck.flaw("the default of \(entity.name).\(attribute.name) does not have the attribute's type")
    }
  }

  private func check(_ relationship: RelationshipDefinition, of entity: EntityDefinition) throws {
    let name = "\(entity.name).\(relationship.name)"
    guard let destination = entities[relationship.destination] else {
      throw SchemaCheck.flaw("\(name) leads to \(relationship.destination), which is not declared")
    }
    let (least, most) = (relationship.minimumCount, relationship.maximumCount)
    guard least >= 0, most >= 0, most == 0 || least <= most else {
      throw SchemaCheck.flaw("the counts of \(name) contradict each other")
    }
    guard let inverse = relationship.inverse else { return }
    guard let other = destination.relationships.first(where: { $0.name == inverse }) else {
      throw SchemaCheck.flaw("the inverse of \(name) is \(destination.name).\(inverse), which is not declared")
    }
    guard other.destination == entity.name, other.inverse == nil || other.inverse == relationship.name else {
      throw SchemaCheck.flaw("\(name) and its inverse \(destination.name).\(inverse) do not name each other")
    }
  }

  private func checkKeys(of entity: EntityDefinition) throws {
    let keys = entity.uniquenessConstraints + entity.indexes.map { $0.components.map(\.field) } + entity.fieldGroups
    for key in keys {
      guard key.count == 1 || !key.isEmpty && Set(key).count == key.count else {
        throw SchemaCheck.flaw("an index, constraint or group of \(entity.name) is empty or names a property twice")
      }
      for name in key where !stores(name, entity) {
        throw SchemaCheck.flaw(
          "\(entity.name).\(name) is used in an index, constraint or group but is not stored there")
      }
    }
    let ordered = Set(entity.indexes.flatMap(\.components).filter(\.isForPeople).map(\.field))
    for attribute in entity.attributes where ordered.contains(attribute.name) && attribute.type != .string {
      throw SchemaCheck.flaw("an index of \(entity.name) orders \(attribute.name) as for people, which is no text")
    }
    for relationship in entity.relationships where ordered.contains(relationship.name) {
      throw SchemaCheck.flaw("an index of \(entity.name) orders \(relationship.name) as for people, which is no text")
    }
  }

  private func stores(_ name: String, _ entity: EntityDefinition) -> Bool {
    entity.attributes.contains { $0.name == name }
      || entity.relationships.contains { $0.name == name && !$0.isToMany }
  }

  private static func flaw(_ sentence: String) -> StoreError {
    StoreError(.invalidSchema, "the schema contradicts itself: \(sentence); correct the declaration")
  }
}

extension StoreSchema {
  /// The same schema with each inverse named on both sides.
  func withMutualInverses() -> StoreSchema {
    var schema = self
    for (entityIndex, entity) in entities.enumerated() {
      for (index, relationship) in entity.relationships.enumerated() where relationship.inverse == nil {
        let other = entities.first { $0.name == relationship.destination }
        let named = other?.relationships.first {
          $0.inverse == relationship.name && $0.destination == entity.name
            && !($0.name == relationship.name && other?.name == entity.name)
        }
        schema.entities[entityIndex].relationships[index].inverse = named?.name
      }
    }
    return schema
  }
}
