import RecordStore

extension StoreSchema {
  /// Classes as data. Throws `unsupportedSchema` with the property that can not be stored.
  ///
  /// The classes of a hierarchy are one entity, with the name of the class at its root: see ``ClassField``.
  init(_ descriptions: [ModelDescription], version: Schema.Version) throws {
    self.init(
      version: SchemaVersion(version.major, version.minor, version.patch),
      entities: try descriptions.filter { $0.superclass == nil }.map { root in
        var entity = EntityDefinition(name: root.name)
        try entity.add(root)
        let subclasses = descriptions.filter { $0 !== root && $0.root === root }
        for subclass in subclasses { try entity.add(subclass) }
        if !subclasses.isEmpty { entity.addClassField() }
        entity.attributes += try OrderField.attributes(in: root, of: descriptions)
        return entity
      })
  }
}

extension EntityDefinition {
  /// Adds what a class declares.
  fileprivate mutating func add(_ description: ModelDescription) throws {
    let unique =
      description.ownProperties.filter { $0.isStored && $0.isUnique(in: description) }.map { [$0.storedName] }
      + (try description.storedNames(of: description.uniqueness, "#Unique"))
    try refuseInherited(unique, in: description)
    let isSubclass = description.superclass != nil
    for property in description.ownProperties where property.isStored {
      switch property.kind {
      case .attribute where property.attribute?.transformer.map({ $0.transformer == nil }) == true:
        throw SwiftDataError(.unsupportedSchema, "\(description.name).\(property.name) \(property.refusal)")
      case .attribute where property.relationship != nil:
        throw SwiftDataError(
          .unsupportedSchema,
          "\(description.name).\(property.name) is declared with @Relationship, and \(property.valueType) is no model: "
            + "take @Relationship away, or make the property a model or an array of models")
      case .attribute(let codec):
        var attribute = AttributeDefinition(property, codec)
        if isSubclass { attribute.makeSparse(isUnique: unique.contains { $0.contains(attribute.name) }) }
        attributes.append(attribute)
      case .toOne, .toMany: relationships.append(try RelationshipDefinition(property, of: description))
      case .unsupported:
        throw SwiftDataError(
          .unsupportedSchema,
          "\(description.name).\(property.name) \(property.refusal)")
      }
    }
    uniquenessConstraints += unique
    indexes += try description.indices.map { paths in
      IndexDefinition(components: try paths.map { try description.component(of: $0) })
    }
    fieldGroups += try description.storedNames(of: description.groups, "#Group")
  }

  /// The objects of the other classes have the inherited values too, and the store cannot tell them apart by a key.
  private func refuseInherited(_ constraints: [[String]], in description: ModelDescription) throws {
    guard description.superclass != nil else { return }
    let own = Set(description.ownProperties.map(\.storedName))
    for constraint in constraints where own.isDisjoint(with: constraint) {
      throw SwiftDataError(
        .unsupportedSchema,
        "#Unique of \(description.name) names nothing but what it inherits (\(constraint.joined(separator: ", "))): "
          + "declare it in the class that has the properties; it holds for objects of all classes below that")
    }
  }
}

extension AttributeDefinition {
  init(_ property: PropertyDescription, _ codec: AttributeCodec) {
    let options = property.attribute?.options ?? []
    self.init(
      name: property.storedName, originalName: property.storedOriginalName, type: codec.fieldType,
      isOptional: codec.isOptional,
      defaultValue: property.defaultValue.flatMap(codec.encode).flatMap { $0 == .null ? nil : $0 },
      preservesValueOnDeletion: options.contains(.preserveValueOnDeletion),
      isStoredExternally: options.contains(.externalStorage))
  }

  /// Makes it an attribute that records of other classes do not have. Records of its own class without a value read the
  /// same as before; in a unique attribute they read nothing, as all records would have one key.
  fileprivate mutating func makeSparse(isUnique: Bool) {
    isSparse = true
    if !isOptional { defaultValue = defaultValue ?? type.zero }
    if isUnique { defaultValue = nil }
    isOptional = true
  }
}

extension RelationshipDefinition {
  init(_ property: PropertyDescription, of owner: ModelDescription) throws {
    let destination = property.destination.map { ModelDescription.of($0) }
    let declared = property.relationship
    let inverse = owner.inverse(of: property.index).flatMap { destination?.properties[$0.index] }
    let isSubclass = owner.superclass != nil
    if let contradiction = InverseRule.contradiction(of: property, in: owner) {
      throw SwiftDataError(.unsupportedSchema, contradiction)
    }
    if isSubclass, declared?.minimumModelCount ?? 0 > 0 {
      throw SwiftDataError(
        .unsupportedSchema,
        "\(owner.name).\(property.name) has a least number of objects, which objects of its superclass cannot have: "
          + "declare the relationship there, or check the number before a save")
    }
    var rule = DeleteRule(rawValue: (declared?.deleteRule ?? .nullify).rawValue) ?? .nullify
    // An object that cannot be without its target goes with it. The store knows that of a required reference; one of a
    // subclass is none there, because objects of other classes lack it.
    if let inverse, inverse.storedName != inverse.name, !inverse.isToMany, !inverse.isOptional, rule != .deny {
      rule = .cascade
    }
    self.init(
      name: property.storedName, originalName: property.storedOriginalName, destination: destination?.root.name ?? "",
      isToMany: property.isToMany, isOptional: property.isToMany || property.isOptional || isSubclass,
      deleteRule: rule, inverse: inverse?.storedName,
      minimumCount: declared?.minimumModelCount ?? 0, maximumCount: declared?.maximumModelCount ?? 0,
      isSparse: isSubclass)
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

  /// Two objects that share related ones can share no value of a to-one relationship; where the other side is a to-one
  /// as well, or this one is a to-many, the values differ by nature and `.unique` adds nothing.
  fileprivate func isUnique(in owner: ModelDescription) -> Bool {
    if attribute?.isUnique == true { return true }
    guard relationship?.isUnique == true, !isToMany else { return false }
    let inverse = owner.inverse(of: index).flatMap { inverse in
      destination.map { ModelDescription.of($0).properties[inverse.index] }
    }
    return inverse?.isToMany ?? true
  }

  /// The original name as the store has it. With a point in it, it names the class too: a property that was moved.
  fileprivate var storedOriginalName: String? {
    let original = attribute?.originalName ?? relationship?.originalName ?? ""
    guard !original.isEmpty else { return nil }
    return original.contains(".") ? original : storedName.dropLast(name.count) + original
  }
}

extension ModelDescription {
  fileprivate func storedNames(of paths: [[AnyKeyPath]], _ place: String) throws -> [[String]] {
    try paths.map { try $0.map { try storedName($0, place) } }
  }

  /// A text stands as its sort descriptors ask by default.
  fileprivate func component(of path: AnyKeyPath) throws -> IndexDefinition.Component {
    let property = try storedProperty(path, "#Index")
    let isText = property.valueType == String.self || property.valueType == String?.self
    return IndexDefinition.Component(property.storedName, isForPeople: isText)
  }

  private func storedName(_ path: AnyKeyPath, _ place: String) throws -> String {
    try storedProperty(path, place).storedName
  }

  private func storedProperty(_ path: AnyKeyPath, _ place: String) throws -> PropertyDescription {
    guard let index = index(of: path) else {
      throw SwiftDataError(
        .unsupportedKeyPath, "\(place) of \(name) names \(path), which is not a stored property of \(name)")
    }
    return properties[index]
  }
}
