/// Enters a schema into a catalogue: what is known keeps its number, what is new gets the next one, what
/// is gone stays and is marked. A pure function; ``CatalogueDifference`` says what the store must do then.
///
/// Automatic steps: new entities, fields and indexes; renames by original name; changed optionality, rules and
/// indexes, as far as the records allow (``Migration`` looks). Schemas of one version add up (``SchemaUnion``).
/// Another type throws
/// `incompatibleSchema`, unless a stage of the app's own copies the values: then the old field is set aside and a new
/// one takes its name.
struct CatalogueBuilder {
  private var catalogue: Catalogue
  private let before: Catalogue
  private let schema: StoreSchema
  private let replacesTypes: Bool
  private let entityNames: NameChanges
  /// Per entity the fields that take another name, by that name.
  private var renames: [EntityNumber: [String: Int]] = [:]

  /// The catalogue of `schema`, continued from `current`; `current` itself if nothing changes.
  ///
  /// - Parameter goesBack: whether a stage of the app's own leads to the schema, which may be of an older version then.
  static func build(
    _ schema: StoreSchema, onto current: Catalogue?, replacesTypes: Bool = false, goesBack: Bool = false
  ) throws -> Catalogue {
    let schema = schema.withMutualInverses()
    try SchemaCheck(schema).run()
    if let current, schema.version < current.schemaVersion, !goesBack {
      try refuseUnlessContained(schema, in: current)
      return current
    }
    guard let current, schema.version == current.schemaVersion, !replacesTypes else {
      return try entered(schema, into: current, replacesTypes: replacesTypes)
    }
    // An entity that a union would add is declared by the store alone, and would make the two differ.
    if declaresAll(schema, of: current) { return current }
    return try entered(SchemaUnion.union(of: schema, with: current), into: current, replacesTypes: false)
  }

  private struct Adopted: Sendable {
    let schema: StoreSchema
    let catalogue: Catalogue
  }

  private static let adopted = RecentResults<Adopted>()

  /// Whether a store needs no step to a schema.
  static func isAdopted(_ schema: StoreSchema, by catalogue: Catalogue) throws -> Bool {
    if adopted.first(where: { $0.catalogue == catalogue && $0.schema == schema }) != nil { return true }
    guard try build(schema, onto: catalogue) == catalogue else { return false }
    adopted.add(Adopted(schema: schema, catalogue: catalogue))
    return true
  }

  /// Whether a store declares what a schema declares, neither more nor less, whatever the versions.
  static func isExact(_ schema: StoreSchema, _ catalogue: Catalogue) -> Bool {
    var schema = schema.withMutualInverses()
    schema.version = catalogue.schemaVersion
    return declaresAll(schema, of: catalogue)
  }

  private static func declaresAll(_ schema: StoreSchema, of catalogue: Catalogue) -> Bool {
    do {
      return try entered(schema, into: catalogue, replacesTypes: false).generation == catalogue.generation
    } catch {
      // A schema that cannot be entered is another one.
      return false
    }
  }

  private static func entered(
    _ schema: StoreSchema, into current: Catalogue?, replacesTypes: Bool
  ) throws -> Catalogue {
    let before = current ?? Catalogue()
    var builder = CatalogueBuilder(
      catalogue: before, before: before, schema: schema, replacesTypes: replacesTypes,
      entityNames: before.nameChanges(by: schema))
    try builder.run()
    builder.catalogue.schemaVersion = schema.version
    // On the way back, values were rewritten for this version.
    builder.catalogue.leastVersion = before.leastVersion.map { min($0, schema.version) }
    if let current, builder.catalogue.isSame(as: current) { return current }
    builder.catalogue.generation += 1
    return builder.catalogue
  }

  private mutating func run() throws {
    let numbers = try schema.entities.map { try enterEntity($0) }
    for (definition, number) in zip(schema.entities, numbers) { try enterAttributes(of: definition, number) }
    for (definition, number) in zip(schema.entities, numbers) { try enterReferences(of: definition, number) }
    var joins: Set<Int> = []
    for (definition, number) in zip(schema.entities, numbers) {
      try enterRelationships(of: definition, number, joins: &joins)
    }
    for (definition, number) in zip(schema.entities, numbers) { enterKeys(of: definition, number) }
    for number in joins { enterJoinKeys(number) }
    let kept = joins.union(numbers)
    for number in catalogue.entities.indices where !kept.contains(number) { retire(number) }
  }
}

// Entities and attributes.
extension CatalogueBuilder {
  private mutating func enterEntity(_ definition: EntityDefinition) throws -> Int {
    let number = number(of: definition)
    var entity = catalogue.entities[number]
    if entity.name != definition.name {
      entity.previousNames.append(entity.name)
      entity.name = definition.name
    }
    entity.isDeclared = true
    entity.superentity = definition.superentity
    entity.deleteIsFinal = definition.deleteIsFinal
    let renames = entity.nameChanges(by: definition).formerNames.compactMapValues { entity.field(named: $0)?.ordinal }
    if !renames.isEmpty { self.renames[number] = renames }
    // Whatever is entered is declared again.
    for ordinal in entity.fields.indices { entity.fields[ordinal].isDeclared = false }
    catalogue.entities[number] = entity
    return number
  }

  private mutating func number(of definition: EntityDefinition) -> Int {
    if let known = before.entity(for: definition, entityNames) ?? arrived(definition) { return known.number }
    let number = catalogue.entities.count
    catalogue.entities.append(
      CatalogueEntity(number: number, name: definition.name, previousNames: schema.namesElsewhere(of: definition)))
    return number
  }

  /// The entity that came from devices with a later version, which have another name for it.
  private func arrived(_ definition: EntityDefinition) -> CatalogueEntity? {
    before.entities.first { entity in
      !entity.isDeclared && entity.previousNames.contains(definition.name)
        && !schema.entities.contains { $0.name == entity.name }
    }
  }

  private mutating func enterAttributes(of definition: EntityDefinition, _ number: Int) throws {
    for attribute in definition.attributes {
      // Only where it is asked for: what is held is copied before it changes.
      let before = attribute.defaultValue == nil ? [] : catalogue.entities[number].fields
      let ordinal = try ordinal(
        named: attribute.name, type: attribute.type, isOptional: attribute.isOptional,
        elsewhere: definition.namesElsewhere(of: attribute), in: number)
      // The default of the first schema stays: objects without a value go on reading what they read, and `UUID()` or
      // `Date.now` is another default in each process.
      let known = before.indices.contains(ordinal) && before[ordinal].isOptional == attribute.isOptional
      let first = known ? before[ordinal].defaultValue : nil
      catalogue.entities[number].fields[ordinal].take(attribute, firstDefault: first)
    }
  }

  /// The ordinal of a field, known, renamed or new, declared from now on. `elsewhere`: its names on other devices.
  private mutating func ordinal(
    named name: String, type: FieldType, isOptional: Bool, elsewhere: [String] = [], in number: Int
  ) throws -> Int {
    let known = knownField(named: name, in: number) ?? arrivedField(named: name, type, in: number)
    if let known, catalogue.entities[number].fields[known].type == type {
      catalogue.entities[number].fields[known].declare(name, isOptional: isOptional, keepsName: true)
      return known
    }
    let kept = catalogue.entities[number].field(named: KeptField(field: name, type: type).name)?.ordinal
    if let known {
      try setAside(
        catalogue.entities[number].fields[known], for: name, type, in: number, isReplaced: kept != nil)
    }
    if let kept {
      catalogue.entities[number].fields[kept].declare(name, isOptional: isOptional, keepsName: false)
      return kept
    }
    let ordinal = catalogue.entities[number].fields.count
    catalogue.entities[number].fields.append(
      CatalogueField(
        ordinal: ordinal, name: name, previousNames: elsewhere, type: type, isOptional: isOptional))
    return ordinal
  }

  /// The ordinal of the field that takes a name, or else has it and takes no other.
  private func knownField(named name: String, in number: Int) -> Int? {
    let renamed = renames[number]
    if let taking = renamed?[name] { return taking }
    guard let having = catalogue.entities[number].fields.firstIndex(where: { $0.name == name }) else { return nil }
    return renamed?.values.contains(having) == true ? nil : having
  }

  /// The ordinal of the field that came from devices with a later version, which have another name for it.
  private func arrivedField(named name: String, _ type: FieldType, in number: Int) -> Int? {
    let entity = catalogue.entities[number]
    guard entity.field(named: name) == nil else { return nil }
    let names = definition(named: entity.name).propertyNameChanges.map(\.name)
    return entity.fields.firstIndex { field in
      field.type == type && field.previousNames.contains(name) && !names.contains(field.name)
        && !wasDeclared(field.ordinal, in: number)
    }
  }

  /// Keeps the former values of a field under their type (see ``KeptField``): where it was declared with that, only if
  /// values of the new type have come already, or a stage of the app's own makes them.
  private mutating func setAside(
    _ field: CatalogueField, for name: String, _ type: FieldType, in number: Int, isReplaced: Bool
  ) throws {
    guard replacesTypes || isReplaced || !wasDeclared(field.ordinal, in: number) else {
      throw StoreError(
        .incompatibleSchema,
        "\(catalogue.entities[number].name).\(name) is of type \(field.type) in the store and of type \(type) in the "
          + "schema: convert the values in a stage of a migration plan, or give the new property another name")
    }
    catalogue.entities[number].fields[field.ordinal].name = KeptField(field: field.name, type: field.type).name
    catalogue.entities[number].fields[field.ordinal].isDeclared = false
    catalogue.entities[number].fields[field.ordinal].isOptional = true
  }

  private func wasDeclared(_ ordinal: Int, in number: Int) -> Bool {
    guard before.entities.indices.contains(number), before.entities[number].fields.indices.contains(ordinal) else {
      return false
    }
    return before.entities[number].fields[ordinal].isDeclared
  }

  /// An entity that the schema no longer has keeps its records; rules and indexes over them end.
  private mutating func retire(_ number: Int) {
    catalogue.entities[number].isDeclared = false
    catalogue.entities[number].relationships = []
    catalogue.entities[number].indexes = []
    for ordinal in catalogue.entities[number].fields.indices {
      catalogue.entities[number].fields[ordinal].isDeclared = false
    }
  }
}

// Relationships.
extension CatalogueBuilder {
  private func definition(named name: String) -> EntityDefinition {
    guard let definition = schema.entities.first(where: { $0.name == name }) else {
      preconditionFailure("the schema was checked: every destination is declared")
    }
    return definition
  }

  private func inverse(of relationship: RelationshipDefinition) -> RelationshipDefinition? {
    relationship.inverse.flatMap { name in
      definition(named: relationship.destination).relationships.first { $0.name == name }
    }
  }

  private func number(named name: String) -> Int {
    guard let entity = catalogue.entity(named: name) else {
      preconditionFailure("every declared entity was entered before")
    }
    return entity.number
  }

  /// Reference fields that this entity stores for its own to-one relationships.
  private mutating func enterReferences(of definition: EntityDefinition, _ number: Int) throws {
    for relationship in definition.relationships where stores(relationship, in: definition) {
      let ordinal = try ordinal(
        named: relationship.name, type: .reference, isOptional: relationship.isOptional,
        elsewhere: definition.namesElsewhere(of: relationship), in: number)
      catalogue.entities[number].fields[ordinal].destination = relationship.destination
      catalogue.entities[number].fields[ordinal].isSparse = relationship.isSparse
    }
  }

  /// A to-one relationship is stored where it is declared. Of a one-to-one, one side is: that which declares
  /// no cascade towards the other, else that of the entity whose name comes first, else the name itself.
  private func stores(_ relationship: RelationshipDefinition, in definition: EntityDefinition) -> Bool {
    guard !relationship.isToMany else { return false }
    guard let inverse = inverse(of: relationship), !inverse.isToMany else { return true }
    let cascades = relationship.deleteRule == .cascade
    let inverseCascades = inverse.deleteRule == .cascade
    if cascades != inverseCascades { return !cascades }
    return (definition.name, relationship.name) <= (relationship.destination, inverse.name)
  }

  private mutating func enterRelationships(
    of definition: EntityDefinition, _ number: Int, joins: inout Set<Int>
  ) throws {
    var entered: [CatalogueRelationship] = []
    for relationship in definition.relationships {
      let storage = try storage(of: relationship, in: definition, number)
      if case .join(let join, _, _) = storage { joins.insert(join) }
      entered.append(
        CatalogueRelationship(
          name: relationship.name, destination: relationship.destination, isToMany: relationship.isToMany,
          isOptional: relationship.isOptional, deleteRule: relationship.deleteRule, inverse: relationship.inverse,
          minimumCount: relationship.minimumCount, maximumCount: relationship.maximumCount, storage: storage))
    }
    catalogue.entities[number].relationships = entered
  }

  private mutating func storage(
    of relationship: RelationshipDefinition, in definition: EntityDefinition, _ number: Int
  ) throws -> CatalogueRelationship.Storage {
    if stores(relationship, in: definition), let field = catalogue.entities[number].field(named: relationship.name) {
      return .reference(ordinal: field.ordinal)
    }
    let destination = self.number(named: relationship.destination)
    guard let inverse = inverse(of: relationship) else {
      let ordinal = try hiddenReference(for: relationship, of: definition, number, in: destination)
      return .inverse(entity: destination, ordinal: ordinal)
    }
    if relationship.isToMany, inverse.isToMany { return join(relationship, inverse, of: definition) }
    guard let field = catalogue.entities[destination].field(named: inverse.name) else {
      preconditionFailure("the storing side's references were entered before")
    }
    return .inverse(entity: destination, ordinal: field.ordinal)
  }

  /// The field behind a to-many relationship without inverse. Its name is nobody's business and stays through renames.
  private mutating func hiddenReference(
    for relationship: RelationshipDefinition, of definition: EntityDefinition, _ number: Int, in destination: Int
  ) throws -> Int {
    var name = "~\(definition.placeName).\(definition.placeName(of: relationship))"
    if case .inverse(destination, let known)? = knownStorage(of: relationship, of: definition, number),
      catalogue.entities[destination].fields[known].name.hasPrefix("~")
    {
      name = catalogue.entities[destination].fields[known].name
    }
    let ordinal = try ordinal(named: name, type: .reference, isOptional: true, in: destination)
    catalogue.entities[destination].fields[ordinal].destination = definition.name
    return ordinal
  }

  /// Whether an entity has a name, or had it before.
  private func isName(_ name: String?, of definition: EntityDefinition) -> Bool {
    name == definition.name || name != nil && name == definition.originalName
  }

  /// Where the links of a relationship lie in the store so far, under its present name or its original one.
  private func knownStorage(
    of relationship: RelationshipDefinition, of definition: EntityDefinition, _ number: Int
  ) -> CatalogueRelationship.Storage? {
    guard before.entities.indices.contains(number) else { return nil }
    let known = before.entities[number].relationships
    let name = definition.relationshipNameChanges(after: known).formerName(of: relationship.name)
    return name.flatMap { name in known.first { $0.name == name } }?.storage
  }

  /// Both sides find the same join entity: it is named after the side whose entity and name come first. The ids of its
  /// records come from that name, so it stays through renames.
  private mutating func join(
    _ relationship: RelationshipDefinition, _ inverse: RelationshipDefinition, of definition: EntityDefinition
  ) -> CatalogueRelationship.Storage {
    let destination = self.definition(named: relationship.destination)
    if case .join(let known, let near, let far)? = knownStorage(
      of: relationship, of: definition, number(named: definition.name)),
      case .join(known, _, _)? = knownStorage(of: inverse, of: destination, number(named: relationship.destination)),
      isName(catalogue.entities[known].fields[near].destination, of: definition),
      isName(catalogue.entities[known].fields[far].destination, of: destination)
    {
      catalogue.entities[known].isDeclared = true
      catalogue.entities[known].fields[near].destination = definition.name
      catalogue.entities[known].fields[far].destination = relationship.destination
      return .join(entity: known, near: near, far: far)
    }
    let near = (definition.placeName, definition.placeName(of: relationship))
    let far = (destination.placeName, destination.placeName(of: inverse))
    let isLeft = near <= far
    let place = isLeft ? near : far
    let (left, right) = isLeft ? (definition, destination) : (destination, definition)
    let name = "~\(place.0).\(place.1)"
    let number = catalogue.entity(named: name)?.number ?? catalogue.entities.count
    if number == catalogue.entities.count {
      catalogue.entities.append(CatalogueEntity(number: number, name: name, isJoin: true))
    }
    catalogue.entities[number].isDeclared = true
    catalogue.entities[number].isJoin = true
    catalogue.entities[number].fields = [
      CatalogueField(ordinal: 0, name: "left", type: .reference, isOptional: false, destination: left.name),
      CatalogueField(ordinal: 1, name: "right", type: .reference, isOptional: false, destination: right.name),
    ]
    return .join(entity: number, near: isLeft ? 0 : 1, far: isLeft ? 1 : 0)
  }
}

// Indexes.
extension CatalogueBuilder {
  private mutating func enterKeys(of definition: EntityDefinition, _ number: Int) {
    let entity = catalogue.entities[number]
    func ordinal(_ name: String) -> Int? { entity.field(named: name)?.ordinal }
    var wanted: [(isUnique: Bool, components: [CatalogueIndex.Component])] = []
    for constraint in definition.uniquenessConstraints {
      let ordinals = constraint.compactMap(ordinal)
      // The other side of a one-to-one has no field here; it is unique by its nature.
      guard ordinals.count == constraint.count else { continue }
      wanted.append((true, ordinals.map { CatalogueIndex.Component(ordinal: $0) }))
    }
    for index in definition.indexes {
      let components = index.components.compactMap { component in
        ordinal(component.field).map {
          CatalogueIndex.Component(
            ordinal: $0, isDescending: component.isDescending, isForPeople: component.isForPeople)
        }
      }
      guard components.count == index.components.count else { continue }
      wanted.append((false, components))
    }
    enter(wanted, in: number)
    catalogue.entities[number].fieldGroups = definition.fieldGroups.map { $0.compactMap(ordinal).sorted() }
  }

  private mutating func enterJoinKeys(_ number: Int) {
    enter([(true, [.init(ordinal: 0), .init(ordinal: 1)])], in: number)
  }

  /// The wanted indexes, and one that begins with each reference: relationships and delete rules read it.
  private mutating func enter(
    _ wanted: [(isUnique: Bool, components: [CatalogueIndex.Component])], in number: Int
  ) {
    var wanted = wanted
    for field in catalogue.entities[number].fields where field.type == .reference && field.isDeclared {
      let first = CatalogueIndex.Component(ordinal: field.ordinal)
      if !wanted.contains(where: { $0.components.first == first }) { wanted.append((false, [first])) }
    }
    let known = catalogue.entities[number].indexes
    var indexes: [CatalogueIndex] = []
    for want in wanted {
      guard !indexes.contains(where: { $0.isUnique == want.isUnique && $0.components == want.components }) else {
        continue
      }
      if let same = known.first(where: { $0.isUnique == want.isUnique && $0.components == want.components }) {
        indexes.append(same)
        continue
      }
      var index = CatalogueIndex(
        number: catalogue.nextIndexNumber, isUnique: want.isUnique, components: want.components)
      // A section's number has two bytes.
      index.sharesTree = index.number <= UInt16.max
      indexes.append(index)
      catalogue.nextIndexNumber += 1
    }
    catalogue.entities[number].indexes = indexes
  }
}
