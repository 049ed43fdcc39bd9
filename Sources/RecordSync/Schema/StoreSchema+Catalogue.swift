import RecordStore

extension StoreSchema {
  /// The schema that a catalogue was made from: what its store declares, without what the store added itself.
  init(declaredBy catalogue: Catalogue) {
    self.init(
      version: catalogue.schemaVersion,
      entities: catalogue.entities.filter { $0.isDeclared && !$0.isJoin }.map { EntityDefinition(declaredBy: $0) })
  }
}

extension EntityDefinition {
  fileprivate init(declaredBy entity: CatalogueEntity) {
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
      name: entity.name, originalName: entity.previousNames.last, superentity: entity.superentity,
      attributes: attributes.map { AttributeDefinition(declaredBy: $0) },
      relationships: entity.relationships.map { RelationshipDefinition(declaredBy: $0, of: entity) },
      uniquenessConstraints: indexes.filter(\.isUnique).map { $0.components.map { name($0.ordinal) } },
      indexes: indexes.filter { !$0.isUnique }.map { index in
        IndexDefinition(
          components: index.components.map {
            .init(name($0.ordinal), isDescending: $0.isDescending, isForPeople: $0.isForPeople)
          })
      },
      fieldGroups: entity.fieldGroups.map { $0.map(name) }, deleteIsFinal: entity.deleteIsFinal)
  }
}

extension AttributeDefinition {
  fileprivate init(declaredBy field: CatalogueField) {
    self.init(
      name: field.name, originalName: field.previousNames.last, type: field.type, isOptional: field.isOptional,
      defaultValue: field.defaultValue, preservesValueOnDeletion: field.preservesValueOnDeletion,
      isStoredExternally: field.isStoredExternally, isSparse: field.isSparse)
  }
}

extension RelationshipDefinition {
  fileprivate init(declaredBy relationship: CatalogueRelationship, of entity: CatalogueEntity) {
    var isSparse = false
    if case .reference(let ordinal) = relationship.storage { isSparse = entity.fields[ordinal].isSparse }
    self.init(
      name: relationship.name, destination: relationship.destination, isToMany: relationship.isToMany,
      isOptional: relationship.isOptional, deleteRule: relationship.deleteRule, inverse: relationship.inverse,
      minimumCount: relationship.minimumCount, maximumCount: relationship.maximumCount,
      isSparse: isSparse)
  }
}
