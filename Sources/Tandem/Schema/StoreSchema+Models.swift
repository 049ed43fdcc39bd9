import RecordStore

extension StoreSchema {
  /// Classes as data. Throws `unsupportedSchema` with the property that can not be stored.
  init(_ descriptions: [ModelDescription], version: Schema.Version) throws {
    self.init(
      version: SchemaVersion(version.major, version.minor, version.patch),
      entities: try descriptions.map { description in
        var entity = try EntityDefinition(description)
        entity.attributes += try OrderField.attributes(in: description, of: descriptions)
        return entity
      })
  }
}

extension EntityDefinition {
  init(_ description: ModelDescription) throws {
    if let parent = description.superclass {
      throw SwiftDataError(
        .unsupportedSchema,
        "\(description.name) inherits from the model \(parent); inheritance between models is not supported: "
          + "put the common properties into both, or into a model that both refer to")
    }
    var attributes: [AttributeDefinition] = []
    var relationships: [RelationshipDefinition] = []
    var constraints: [[String]] = []
    for property in description.properties where property.isStored {
      switch property.kind {
      case .attribute where property.attribute?.transformer.map({ $0.transformer == nil }) == true:
        throw SwiftDataError(.unsupportedSchema, "\(description.name).\(property.name) \(property.refusal)")
      case .attribute where property.relationship != nil:
        throw SwiftDataError(
          .unsupportedSchema,
          "\(description.name).\(property.name) is declared with @Relationship, and \(property.valueType) is no model: "
            + "take @Relationship away, or make the property a model or an array of models")
      case .attribute(let codec): attributes.append(AttributeDefinition(property, codec))
      case .toOne, .toMany: relationships.append(RelationshipDefinition(property, of: description))
      case .unsupported:
        throw SwiftDataError(
          .unsupportedSchema,
          "\(description.name).\(property.name) \(property.refusal)")
      }
      if property.isUnique { constraints.append([property.name]) }
    }
    self.init(
      name: description.name, attributes: attributes, relationships: relationships,
      uniquenessConstraints: constraints + (try description.names(of: description.uniqueness, "#Unique")),
      indexes: try description.names(of: description.indices, "#Index").map { names in
        IndexDefinition(components: names.map { IndexDefinition.Component($0) })
      },
      fieldGroups: try description.names(of: description.groups, "#Group"))
  }
}

extension AttributeDefinition {
  init(_ property: PropertyDescription, _ codec: AttributeCodec) {
    let options = property.attribute?.options ?? []
    self.init(
      name: property.name, originalName: property.originalName, type: codec.fieldType, isOptional: codec.isOptional,
      defaultValue: property.defaultValue.flatMap(codec.encode).flatMap { $0 == .null ? nil : $0 },
      preservesValueOnDeletion: options.contains(.preserveValueOnDeletion),
      isStoredExternally: options.contains(.externalStorage))
  }
}

extension RelationshipDefinition {
  init(_ property: PropertyDescription, of owner: ModelDescription) {
    let destination = property.destination.map { ModelDescription.of($0) }
    let declared = property.relationship
    self.init(
      name: property.name, originalName: property.originalName, destination: destination?.name ?? "",
      isToMany: property.isToMany, isOptional: property.isToMany || property.isOptional,
      deleteRule: DeleteRule(rawValue: (declared?.deleteRule ?? .nullify).rawValue) ?? .nullify,
      inverse: owner.inverse(of: property.index).flatMap { destination?.properties[$0.index].name },
      minimumCount: declared?.minimumModelCount ?? 0, maximumCount: declared?.maximumModelCount ?? 0)
  }
}

extension PropertyDescription {
  /// Why the property can not be stored, and what to do.
  fileprivate var refusal: String {
    if let transformer = attribute?.transformer {
      return "is transformed by '\(transformer.name)', which no transformer is registered as: "
        + "call ValueTransformer.setValueTransformer before the container is made"
    }
    return "is a \(valueType), which can not be stored: conform it to Codable or mark the property @Transient"
  }

  fileprivate var isUnique: Bool { attribute?.isUnique == true || relationship?.isUnique == true }
  fileprivate var originalName: String? {
    let name = attribute?.originalName ?? relationship?.originalName ?? ""
    return name.isEmpty ? nil : name
  }
}

extension ModelDescription {
  fileprivate func names(of paths: [[AnyKeyPath]], _ place: String) throws -> [[String]] {
    try paths.map { try $0.map { try propertyName($0, place) } }
  }

  private func propertyName(_ path: AnyKeyPath, _ place: String) throws -> String {
    guard let index = index(of: path) else {
      throw SwiftDataError(
        .unsupportedKeyPath, "\(place) of \(name) names \(path), which is not a stored property of \(name)")
    }
    return properties[index].name
  }

  /// The model that the class inherits from.
  fileprivate var superclass: (any PersistentModel.Type)? {
    var parent: AnyClass? = _getSuperclass(type)
    while let current = parent {
      if let model = current as? any PersistentModel.Type { return model }
      parent = _getSuperclass(current)
    }
    return nil
  }
}
