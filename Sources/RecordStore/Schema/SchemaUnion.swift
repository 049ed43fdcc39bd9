/// A schema and what a store of the same version declares beyond it.
///
/// An app, its widget and last month's widget open one store with different classes. So the schemas of one version add
/// up: classes, properties, relationships and indexes that a schema leaves out stay declared, and only a newer version
/// ends them. Not kept is what cannot stay without harm: an attribute that is required and has no default, or is part
/// of a unique constraint, a required to-one relationship, and what lost its destination or inverse.
struct SchemaUnion {
  private let catalogue: Catalogue
  private let schema: StoreSchema
  /// The name that the schema gives each stored entity.
  private var names: [String: String] = [:]
  private var known: [String: CatalogueEntity] = [:]
  /// The additions by the entities' names: whole ones, and properties of those that the schema has.
  private var whole: [String: EntityDefinition] = [:]
  private var parts: [String: EntityDefinition] = [:]

  static func union(of schema: StoreSchema, with catalogue: Catalogue) -> StoreSchema {
    var union = SchemaUnion(schema, catalogue)
    union.collect()
    union.dropBroken()
    return union.result()
  }

  private init(_ schema: StoreSchema, _ catalogue: Catalogue) {
    (self.schema, self.catalogue) = (schema, catalogue)
    let changes = catalogue.nameChanges(by: schema)
    for definition in schema.entities {
      guard let entity = catalogue.entity(for: definition, changes) else { continue }
      names[entity.name] = definition.name
      known[definition.name] = entity
    }
  }

  /// A relationship that leaves its inverse out keeps it as long as that stays declared: its links are those of the
  /// inverse, for other processes too.
  private func keepInverses(of definition: inout EntityDefinition) {
    guard let entity = known[definition.name] else { return }
    for place in definition.relationships.indices where definition.relationships[place].inverse == nil {
      let relationship = definition.relationships[place]
      guard let former = entity.relationship(named: relationship.name), let inverse = former.inverse,
        renamed(former.destination) == relationship.destination,
        parts[relationship.destination]?.relationships.contains(where: { $0.name == inverse }) == true
      else { continue }
      definition.relationships[place].inverse = inverse
    }
  }

  private mutating func collect() {
    let taken = Set(schema.entities.map(\.name))
    for entity in catalogue.entities where entity.isDeclared && !entity.isJoin && names[entity.name] == nil {
      guard !taken.contains(entity.name) else { continue }
      names[entity.name] = entity.name
      whole[entity.name] = EntityDefinition(name: entity.name)
    }
    for name in whole.keys { whole[name] = catalogue.entity(named: name).map(absentEntity) }
    for definition in schema.entities {
      if let entity = known[definition.name] { parts[definition.name] = absentPart(of: entity, beside: definition) }
    }
  }

  /// Until all that is left has its destinations and inverses.
  private mutating func dropBroken() {
    while let (entity, relationship) = firstBroken() {
      if whole.removeValue(forKey: entity) == nil {
        parts[entity]?.relationships.removeAll { $0.name == relationship }
      }
    }
  }

  private func result() -> StoreSchema {
    var union = schema
    for (place, definition) in schema.entities.enumerated() {
      guard let part = parts[definition.name], let entity = known[definition.name] else { continue }
      union.entities[place] = definition.adding(part, keysOf: entity)
    }
    for place in schema.entities.indices { keepInverses(of: &union.entities[place]) }
    union.entities += whole.values.sorted { $0.name < $1.name }
    return union
  }
}

// The parts that the schema leaves out.
extension SchemaUnion {
  private func absentEntity(_ entity: CatalogueEntity) -> EntityDefinition {
    var definition = EntityDefinition(
      name: entity.name, superentity: entity.superentity.map(renamed),
      attributes: entity.fields.filter(\.isAttribute).map(\.definition),
      relationships: entity.relationships.map(self.definition), deleteIsFinal: entity.deleteIsFinal)
    definition.addKeys(of: entity, touching: nil)
    return definition
  }

  private func absentPart(of entity: CatalogueEntity, beside definition: EntityDefinition) -> EntityDefinition {
    let said = definition.propertyNames
    let unique = Set(entity.indexes.filter(\.isUnique).flatMap(\.components).map(\.ordinal))
    return EntityDefinition(
      name: definition.name,
      attributes: entity.fields.filter {
        $0.isAttribute && !said.contains($0.name) && !unique.contains($0.ordinal)
          && ($0.isOptional || $0.defaultValue != nil)
      }.map(\.definition),
      relationships: entity.relationships.filter {
        !said.contains($0.name) && ($0.isToMany || $0.isOptional)
      }.map(self.definition))
  }

  private func renamed(_ name: String) -> String { names[name] ?? name }

  private func definition(_ relationship: CatalogueRelationship) -> RelationshipDefinition {
    RelationshipDefinition(
      name: relationship.name, destination: renamed(relationship.destination), isToMany: relationship.isToMany,
      isOptional: relationship.isOptional, deleteRule: relationship.deleteRule,
      inverse: relationship.inverse.map { inverse in
        let other = schema.entities.first { $0.name == renamed(relationship.destination) }
        return other?.relationships.first { $0.originalName == inverse }?.name ?? inverse
      },
      minimumCount: relationship.minimumCount, maximumCount: relationship.maximumCount)
  }
}

// The parts that can stay.
extension SchemaUnion {
  private func firstBroken() -> (entity: String, relationship: String)? {
    for added in [whole, parts] {
      for (name, definition) in added {
        if let superentity = definition.superentity, entity(named: superentity) == nil { return (name, superentity) }
        if let broken = definition.relationships.first(where: { !isWhole($0, of: name) }) { return (name, broken.name) }
      }
    }
    return nil
  }

  private func isWhole(_ relationship: RelationshipDefinition, of name: String) -> Bool {
    guard let relationships = entity(named: relationship.destination) else { return false }
    guard let inverse = relationship.inverse else { return true }
    return relationships.contains {
      $0.name == inverse && $0.destination == name && ($0.inverse ?? relationship.name) == relationship.name
    }
  }

  /// The relationships of an entity of the union; nil: it has none of that name.
  private func entity(named name: String) -> [RelationshipDefinition]? {
    if let whole = whole[name] { return whole.relationships }
    guard let definition = schema.entities.first(where: { $0.name == name }) else { return nil }
    return definition.relationships + (parts[name]?.relationships ?? [])
  }
}

extension EntityDefinition {
  fileprivate var propertyNames: Set<String> {
    let names = attributes.map { ($0.name, $0.originalName) } + relationships.map { ($0.name, $0.originalName) }
    return Set(names.flatMap { name, original in [name] + (original.map { [$0] } ?? []) })
  }

  fileprivate func adding(_ part: EntityDefinition, keysOf entity: CatalogueEntity) -> EntityDefinition {
    var definition = self
    definition.attributes += part.attributes
    definition.relationships += part.relationships
    definition.addKeys(of: entity, touching: part.propertyNames)
    return definition
  }

  /// Constraints, indexes and field groups of a stored entity as far as all their properties are here, and one of
  /// `names` is among them; nil: all.
  fileprivate mutating func addKeys(of entity: CatalogueEntity, touching names: Set<String>?) {
    let renames = Dictionary(
      (attributes.map { ($0.originalName, $0.name) } + relationships.map { ($0.originalName, $0.name) })
        .compactMap { original, name in original.map { ($0, name) } }
    ) { first, _ in first }
    let own = propertyNames
    func properties(_ ordinals: [Int]) -> [String]? {
      let found = ordinals.map { entity.fields[$0].name }.map { own.contains($0) ? $0 : renames[$0] ?? $0 }
      guard found.allSatisfy(own.contains) else { return nil }
      return names.map { !$0.isDisjoint(with: found) } ?? true ? found : nil
    }
    for index in entity.indexes {
      guard let fields = properties(index.components.map(\.ordinal)) else { continue }
      if index.isUnique {
        uniquenessConstraints.append(fields)
      } else {
        indexes.append(
          IndexDefinition(
            components: zip(fields, index.components).map {
              .init($0, isDescending: $1.isDescending, isForPeople: $1.isForPeople)
            }))
      }
    }
    for group in entity.fieldGroups {
      guard let fields = properties(group) else { continue }
      fieldGroups.removeAll { !Set($0).isDisjoint(with: fields) }
      fieldGroups.append(fields)
    }
  }
}

extension CatalogueField {
  fileprivate var isAttribute: Bool { isDeclared && type != .reference }

  fileprivate var definition: AttributeDefinition {
    AttributeDefinition(
      name: name, type: type, isOptional: isOptional, defaultValue: defaultValue,
      preservesValueOnDeletion: preservesValueOnDeletion, isStoredExternally: isStoredExternally)
  }
}

extension Catalogue {
  /// The stored entity that a definition of a schema continues, under its name or its original one.
  func entity(for definition: EntityDefinition, _ changes: NameChanges) -> CatalogueEntity? {
    changes.formerName(of: definition.name).flatMap { entity(named: $0) }
  }

  /// Whether two catalogues say the same; the order of relationships and indexes says nothing.
  func isSame(as other: Catalogue) -> Bool { inOrder == other.inOrder }

  private var inOrder: Catalogue {
    var catalogue = self
    for number in entities.indices {
      catalogue.entities[number].relationships.sort { $0.name < $1.name }
      catalogue.entities[number].indexes.sort { $0.number < $1.number }
      catalogue.entities[number].fieldGroups.sort { $0.lexicographicallyPrecedes($1) }
    }
    return catalogue
  }
}
