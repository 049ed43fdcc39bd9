import RecordStore

extension StoreSchema {
  /// The schema that a catalogue was made from: what its store declares, without what the store added itself.
  init(declaredBy catalogue: Catalogue) {
    self.init(
      version: catalogue.schemaVersion,
      entities: catalogue.entities.filter { $0.isDeclared && !$0.isJoin }.map {
        EntityDefinition(declaredBy: $0, of: catalogue)
      })
  }
}

extension EntityDefinition {
  fileprivate init(declaredBy entity: CatalogueEntity, of catalogue: Catalogue) {
    let stored = entity.relationships.compactMap { relationship -> Int? in
      guard case .reference(let ordinal) = relationship.storage else { return nil }
      return ordinal
    }
    let name = { (ordinal: Int) in entity.fields[ordinal].name }
    // Reference fields belong to relationships: those of this entity, or hidden ones of a to-many without inverse.
    let isHidden = { (ordinal: Int) in entity.fields[ordinal].type == .reference && !stored.contains(ordinal) }
    let attributes = entity.fields.filter { $0.isDeclared && $0.type != .reference }
    // The indexes over single references are the store's own: they serve the relationships.
    let indexes = entity.indexes.filter { index in
      !index.components.contains { isHidden($0.ordinal) }
        && !(index.components.count == 1 && entity.fields[index.components[0].ordinal].type == .reference)
    }
    self.init(
      name: entity.name, superentity: entity.superentity,
      attributes: attributes.map { AttributeDefinition(declaredBy: $0) },
      relationships: entity.relationships.map { RelationshipDefinition(declaredBy: $0, of: entity, catalogue) },
      uniquenessConstraints: indexes.filter(\.isUnique).map { $0.components.map { name($0.ordinal) } },
      indexes: indexes.filter { !$0.isUnique }.map { index in
        IndexDefinition(
          components: index.components.map {
            .init(name($0.ordinal), isDescending: $0.isDescending, isForPeople: $0.isForPeople)
          })
      },
      fieldGroups: entity.fieldGroups.map { $0.map(name) }, deleteIsFinal: entity.deleteIsFinal)
    formerNames = entity.previousNames
  }
}

extension AttributeDefinition {
  fileprivate init(declaredBy field: CatalogueField) {
    self.init(
      name: field.name, type: field.type, isOptional: field.isOptional,
      defaultValue: field.defaultValue, preservesValueOnDeletion: field.preservesValueOnDeletion,
      isStoredExternally: field.isStoredExternally, isSparse: field.isSparse)
    formerNames = field.previousNames
  }
}

extension RelationshipDefinition {
  fileprivate init(
    declaredBy relationship: CatalogueRelationship, of entity: CatalogueEntity, _ catalogue: Catalogue
  ) {
    var isSparse = false
    var names: [String] = []
    switch relationship.storage {
    case .reference(let ordinal):
      isSparse = entity.fields[ordinal].isSparse
      names = entity.fields[ordinal].previousNames
    case .inverse(let holder, let ordinal):
      names = Self.placeName(in: catalogue.entities[holder].fields[ordinal].name, of: relationship)
    // The join is named after its left side.
    case .join(let join, let near, _):
      if near == 0 { names = Self.placeName(in: catalogue.entities[join].name, of: relationship) }
    }
    self.init(
      name: relationship.name, destination: relationship.destination, isToMany: relationship.isToMany,
      isOptional: relationship.isOptional, deleteRule: relationship.deleteRule, inverse: relationship.inverse,
      minimumCount: relationship.minimumCount, maximumCount: relationship.maximumCount,
      isSparse: isSparse)
    formerNames = names
  }

  /// The name that a relationship had when the place of its links was named after it, if it was another one: by that
  /// name every store finds the same place.
  private static func placeName(in place: String, of relationship: CatalogueRelationship) -> [String] {
    guard place.hasPrefix("~"), let dot = place.firstIndex(of: ".") else { return [] }
    let name = String(place[place.index(after: dot)...])
    return name == relationship.name || name == "\(relationship.name)~new" ? [] : [name]
  }
}
