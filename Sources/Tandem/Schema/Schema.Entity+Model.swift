extension Schema.Entity {
  /// The entity of a class.
  convenience init(_ description: ModelDescription) {
    self.init(
      description.name,
      properties: description.ownProperties.map { property in
        property.destination == nil
          ? Schema.Attribute.of(property) : Schema.Relationship(property, of: description) as any SchemaProperty
      })
    modelType = description.type
    superentityName = description.superclass?.name
    uniquenessConstraints =
      description.ownProperties.filter { $0.attribute?.isUnique == true }.map { [$0.name] }
      + description.names(of: description.uniqueness)
    indices = description.names(of: description.indices)
  }
}

extension Schema.Attribute {
  fileprivate static func of(_ property: PropertyDescription) -> Schema.Attribute {
    let isComposite = Schema.CompositeAttribute.isComposite(property.valueType)
    let type = isComposite ? Schema.CompositeAttribute.self : Schema.Attribute.self
    return type.init(
      name: property.name, originalName: property.attribute?.originalName, options: property.attribute?.options ?? [],
      valueType: property.valueType, defaultValue: property.defaultValue, hashModifier: property.attribute?.hashModifier
    )
  }
}

extension Schema.Relationship {
  fileprivate convenience init(_ property: PropertyDescription, of owner: ModelDescription) {
    let declared = property.relationship
    self.init(
      deleteRule: declared?.deleteRule ?? .nullify, minimumModelCount: declared?.minimumModelCount,
      maximumModelCount: declared?.maximumModelCount, originalName: declared?.originalName,
      inverse: declared?.inverseKeyPath, hashModifier: declared?.hashModifier)
    name = property.name
    options = declared?.options ?? []
    valueType = property.valueType
    keypath = property.keyPath
    guard let other = property.destination.map({ ModelDescription.of($0) }) else { return }
    destination = other.name
    guard let inverse = owner.inverse(of: property.index) else { return }
    inverseName = other.properties[inverse.index].name
    inverseKeyPath = other.properties[inverse.index].keyPath
  }
}

extension ModelDescription {
  fileprivate func names(of paths: [[AnyKeyPath]]) -> [[String]] {
    paths.map { $0.compactMap { index(of: $0) }.map { properties[$0].name } }
  }
}
