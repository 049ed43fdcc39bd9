extension Catalogue {
  /// This catalogue with entities and fields that another device describes and this one does not know.
  ///
  /// They are entered undeclared: values are kept with their stamps, no rule or index applies until a
  /// schema declares them. Pure and predictable: a request builder uses it to learn the numbers that
  /// the definitions of another device will get. The generation rises by one if anything is new.
  public func adding(_ definitions: [EntityDefinition]) -> Catalogue {
    var catalogue = self
    for definition in definitions { catalogue.add(definition) }
    if catalogue != self { catalogue.generation += 1 }
    return catalogue
  }

  private mutating func add(_ definition: EntityDefinition) {
    let number = entity(named: definition.name)?.number ?? entities.count
    if number == entities.count {
      entities.append(
        CatalogueEntity(
          number: number, name: definition.name, previousNames: definition.formerNames,
          superentity: definition.superentity, isDeclared: false, isJoin: definition.name.hasPrefix("~"),
          deleteIsFinal: definition.deleteIsFinal))
    }
    for attribute in definition.attributes where entities[number].field(named: attribute.name) == nil {
      entities[number].fields.append(
        CatalogueField(
          ordinal: entities[number].fields.count, name: attribute.name, previousNames: attribute.formerNames,
          type: attribute.type, isOptional: attribute.isOptional, isDeclared: false,
          defaultValue: attribute.storedDefault,
          preservesValueOnDeletion: attribute.preservesValueOnDeletion,
          isStoredExternally: attribute.isStoredExternally))
    }
    for relationship in definition.relationships where !relationship.isToMany {
      guard entities[number].field(named: relationship.name) == nil else { continue }
      entities[number].fields.append(
        CatalogueField(
          ordinal: entities[number].fields.count, name: relationship.name, previousNames: relationship.formerNames,
          type: .reference, isOptional: relationship.isOptional, isDeclared: false,
          destination: relationship.destination))
    }
  }
}

extension Catalogue {
  /// An index by names, for sentences: `Book.shelf and place`.
  func description(ofIndex number: Int) -> String {
    for entity in entities {
      guard let index = entity.indexes.first(where: { $0.number == number }) else { continue }
      return "\(entity.name)." + index.components.map { entity.fields[$0.ordinal].name }.joined(separator: " and ")
    }
    return "index \(number)"
  }
}
