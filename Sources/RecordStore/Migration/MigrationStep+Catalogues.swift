extension MigrationStep {
  /// The steps between two catalogues of one store, in the words of the schema. `nulls` counts the records of an
  /// entity that have no value for a field.
  static func steps(
    from old: Catalogue, to new: Catalogue, nulls: (EntityNumber, Int) throws -> Int
  ) rethrows -> [MigrationStep] {
    var steps: [MigrationStep] = []
    for entity in new.entities where !entity.isJoin {
      let known = old.entities.indices.contains(entity.number) ? old.entities[entity.number] : nil
      guard let known, known.isDeclared || !entity.isDeclared else {
        if entity.isDeclared { steps.append(.addedEntity(entity.name)) }
        continue
      }
      guard entity.isDeclared else {
        if known.isDeclared { steps.append(.removedEntity(known.name)) }
        continue
      }
      if known.name != entity.name { steps.append(.renamedEntity(from: known.name, to: entity.name)) }
      for field in entity.fields where !field.isHidden {
        steps += try self.steps(of: field, in: entity, before: known) { try nulls(entity.number, $0) }
      }
      steps += relationshipSteps(from: known, to: entity)
      steps += indexSteps(from: known, to: entity)
    }
    return steps
  }

  private static func steps(
    of field: CatalogueField, in entity: CatalogueEntity, before known: CatalogueEntity, nulls: (Int) throws -> Int
  ) rethrows -> [MigrationStep] {
    let name = "\(entity.name).\(field.name)"
    let before = known.fields.indices.contains(field.ordinal) ? known.fields[field.ordinal] : nil
    guard let before, before.isDeclared else {
      guard field.isDeclared, !isRelationship(field, of: known) else { return [] }
      // Another field had the name: its values are set aside.
      if let replaced = known.field(named: field.name), replaced.isDeclared, replaced.type != field.type {
        return [.changedType(name, from: replaced.type, to: field.type)]
      }
      return [.addedProperty(name)]
    }
    guard field.isDeclared else {
      return isRelationship(before, of: entity) ? [] : [.removedProperty("\(entity.name).\(before.name)")]
    }
    var steps: [MigrationStep] = []
    if before.name != field.name { steps.append(.renamedProperty(from: "\(entity.name).\(before.name)", to: name)) }
    if !before.isOptional, field.isOptional { steps.append(.madeOptional(name)) }
    if before.isOptional, !field.isOptional { steps.append(.madeRequired(name, filled: try nulls(field.ordinal))) }
    if before.defaultValue != field.defaultValue { steps.append(.changedDefault(name)) }
    return steps
  }

  /// Whether a reference is that of a relationship which the other schema has too: its links lie elsewhere there.
  private static func isRelationship(_ field: CatalogueField, of entity: CatalogueEntity) -> Bool {
    field.type == .reference && entity.relationship(named: field.name) != nil
  }

  private static func relationshipSteps(from old: CatalogueEntity, to new: CatalogueEntity) -> [MigrationStep] {
    new.relationships.compactMap { relationship in
      let name = "\(new.name).\(relationship.name)"
      let known = old.relationships.first { $0.isSame(as: relationship) }
      if known == nil, old.relationship(named: relationship.name) != nil { return .changedRelationship(name) }
      guard let known else {
        if case .reference = relationship.storage { return nil }
        return .addedProperty(name)
      }
      if known.name != relationship.name, relationship.storedOrdinal == nil {
        return .renamedProperty(from: "\(new.name).\(known.name)", to: name)
      }
      let isChanged =
        known.deleteRule != relationship.deleteRule || known.minimumCount != relationship.minimumCount
        || known.maximumCount != relationship.maximumCount || known.isToMany != relationship.isToMany
      return isChanged ? .changedRelationship(name) : nil
    } + removedLists(from: old, to: new)
  }

  /// To-many relationships that are gone; of others the stored reference says so.
  private static func removedLists(from old: CatalogueEntity, to new: CatalogueEntity) -> [MigrationStep] {
    old.relationships.filter { known in
      known.storedOrdinal == nil && !new.relationships.contains { known.isSame(as: $0) || known.name == $0.name }
    }.map { .removedProperty("\(new.name).\($0.name)") }
  }

  private static func indexSteps(from old: CatalogueEntity, to new: CatalogueEntity) -> [MigrationStep] {
    func name(_ index: CatalogueIndex, _ entity: CatalogueEntity) -> String {
      "\(entity.name)(\(index.components.map { entity.fields[$0.ordinal].name }.joined(separator: ", ")))"
    }
    /// An index over one reference is the store's own: it serves the relationship.
    func isDeclared(_ index: CatalogueIndex, _ entity: CatalogueEntity) -> Bool {
      index.isUnique || index.components.count > 1 || entity.fields[index.components[0].ordinal].type != .reference
    }
    let (before, after) = (Set(old.indexes.map(\.number)), Set(new.indexes.map(\.number)))
    let removed = old.indexes.filter { !after.contains($0.number) && isDeclared($0, old) }
    let added = new.indexes.filter { !before.contains($0.number) && isDeclared($0, new) }
    return removed.map { $0.isUnique ? .removedUniqueness(name($0, old)) : .removedIndex(name($0, old)) }
      + added.map { $0.isUnique ? .addedUniqueness(name($0, new)) : .addedIndex(name($0, new)) }
  }
}

extension CatalogueField {
  /// The field behind a to-many relationship without inverse, or values set aside when a type changed.
  var isHidden: Bool { name.hasPrefix("~") || KeptField(self) != nil }
}

extension CatalogueRelationship {
  var storedOrdinal: Int? {
    if case .reference(let ordinal) = storage { return ordinal }
    return nil
  }

  /// Whether two descriptions name one relationship: by where its links lie.
  func isSame(as other: CatalogueRelationship) -> Bool { storage == other.storage }
}
