import RecordStore

/// One class's place in a container: its store, its entity there, and which field each property is. The classes of a
/// hierarchy have one entity.
///
/// `@unchecked Sendable` because metatypes, key paths and pointers carry no such mark; all is set before sharing. So
/// access to what is set late is not checked at run time either: each save asks for it once an object.
final class EntityBinding: @unchecked Sendable {
  let description: ModelDescription
  let store: StoreBinding
  let entity: CatalogueEntity
  /// How new records are written.
  let draft: DraftLayout
  /// Per property the field's ordinal; -1 where the value does not lie in this entity's records.
  let ordinals: ContiguousArray<Int>
  /// The same at an address that stays, with what else ``ModelStorage``'s reads need of each property.
  let places: UnsafePointer<PropertyPlace>
  let fields: ContiguousArray<CatalogueField?>
  /// Per unique index the numbers of its properties.
  let uniqueProperties: [[Int]]
  /// Attributes with `.unique(.throw)`, as a save names them.
  let refusedDuplicates: [LocalWork.UniqueKey]
  /// Those of ``uniqueProperties`` whose values an insert may take over, and becomes the record that has them.
  let adoptedProperties: [[Int]]
  /// Per property, whether a unique index holds it.
  let isUnique: ContiguousArray<Bool>
  /// The properties with a field, in the order of the fields, which is how the store likes them.
  let storedIndexes: [Int]
  let hasRelationships: Bool
  /// Per property, nil for attributes.
  let relationships: ContiguousArray<CatalogueRelationship?>
  /// The to-one relationships whose links the other side's records hold, by a property that the class of the other side
  /// does not have here: a newer app or another one of the group declares it. Set once, as the bindings below.
  @exclusivity(unchecked) private(set) var heldElsewhere: [(index: Int, entity: EntityNumber, ordinal: Int)] = []
  /// Makes an object of the class around a storage, to which it takes over the caller's reference.
  let make: (Unmanaged<ModelStorage>) -> any PersistentModel
  /// Whether an object is of the class or of one that inherits from it.
  let isInstance: (any PersistentModel) -> Bool
  /// Per property the other side's binding; set once, when all bindings of the container exist.
  @exclusivity(unchecked) private(set) var destinations: ContiguousArray<Unowned?> = []
  /// The classes that share the entity; nil for one that has it alone.
  @exclusivity(unchecked) private(set) var family: ClassFamily?
  /// The field by which a new record names its class.
  @exclusivity(unchecked) private(set) var classWrite: FieldWrite?
  /// The filter that the records of the class and of those below it pass, among all in the entity.
  @exclusivity(unchecked) private(set) var classFilter = RecordFilter.all
  /// The class as the translation of predicates knows it; its relationships when all bindings exist.
  @exclusivity(unchecked) private(set) var propertyTable: PropertyTable
  /// Whether a delete of another object can take objects of the class along.
  @exclusivity(unchecked) private(set) var goesAlong = false

  struct Unowned {
    unowned let binding: EntityBinding
  }

  init(_ description: ModelDescription, entity: CatalogueEntity, store: StoreBinding) {
    self.description = description
    self.entity = entity
    self.store = store
    draft = DraftLayout(entity)
    hasRelationships = !description.relationshipIndexes.isEmpty
    relationships = ContiguousArray(description.properties.map { entity.relationship(named: $0.storedName) })
    fields = ContiguousArray(
      description.properties.map { property in
        guard property.isStored else { return nil }
        guard let relationship = entity.relationship(named: property.storedName) else {
          return entity.field(named: property.storedName)
        }
        guard case .reference(let ordinal) = relationship.storage else { return nil }
        return entity.fields[ordinal]
      })
    ordinals = ContiguousArray(fields.map { $0?.ordinal ?? -1 })
    let ordinals = ordinals
    let table = UnsafeMutablePointer<PropertyPlace>.allocate(capacity: max(1, ordinals.count))
    for (index, ordinal) in ordinals.enumerated() { (table + index).initialize(to: PropertyPlace(ordinal: ordinal)) }
    places = UnsafePointer(table)
    propertyTable = PropertyTable(description: description, ordinals: ordinals) { _ in nil }
    let unique = entity.indexes.filter(\.isUnique).compactMap { index -> [Int]? in
      let properties = index.components.compactMap { component in ordinals.firstIndex(of: component.ordinal) }
      return properties.count == index.components.count ? properties : nil
    }
    uniqueProperties = unique
    isUnique = ContiguousArray(ordinals.indices.map { index in unique.contains { $0.contains(index) } })
    refusedDuplicates = description.properties.filter { $0.attribute?.options.contains(.unique(.throw)) == true }.map {
      LocalWork.UniqueKey(entity: entity.number, ordinals: [ordinals[$0.index]])
    }
    if store.configuration.uniqueness == .throw {
      adoptedProperties = []
    } else if refusedDuplicates.isEmpty {
      adoptedProperties = unique
    } else {
      let refused = refusedDuplicates.map(\.ordinals)
      adoptedProperties = unique.filter { indexes in !refused.contains(indexes.map { ordinals[$0] }) }
    }
    storedIndexes = ordinals.indices.filter { ordinals[$0] >= 0 }.sorted { ordinals[$0] < ordinals[$1] }
    make = Self.maker(description.type)
    isInstance = Self.test(description.type)
  }

  deinit {
    let table = UnsafeMutablePointer(mutating: places)
    table.deinitialize(count: ordinals.count)
    table.deallocate()
  }

  func isExactly(_ model: any PersistentModel) -> Bool { Swift.type(of: model) == description.type }

  private static func maker<M: PersistentModel>(
    _ type: M.Type
  ) -> (Unmanaged<ModelStorage>) -> any PersistentModel {
    let backingData: any BackingData<M> = ModelBackingData<M>.adopted
    return { Adoption.make(backingData, around: $0) }
  }

  private static func test<M: PersistentModel>(_ type: M.Type) -> (any PersistentModel) -> Bool { { $0 is M } }

  func connect(_ family: ClassFamily?, _ binding: (any PersistentModel.Type) -> EntityBinding?) {
    self.family = family
    classWrite = family?.write(self)
    classFilter = family?.filter(self) ?? .all
    destinations = ContiguousArray(
      description.properties.map { $0.destination.flatMap(binding).map { Unowned(binding: $0) } })
    heldElsewhere = description.relationshipIndexes.compactMap { index in
      guard case .inverse(let entity, let ordinal) = relationships[index]?.storage,
        !description.properties[index].isToMany, description.inverse(of: index) == nil
      else { return nil }
      return (index, entity, ordinal)
    }
    propertyTable = PropertyTable(
      description: description, ordinals: ordinals, family: family,
      uniqueOrdinals: Set(uniqueProperties.filter { $0.count == 1 }.map { ordinals[$0[0]] })
    ) { [unowned self] index in destination(of: index)?.propertyTable }
  }

  /// By a rule of cascade on the other side, or by a reference that must not be nil. `all`: the container's bindings.
  func noteRules(of all: [EntityBinding]) {
    // A fetch of a class finds objects of those below it, and a relationship to one leads to them.
    let kin = all.filter(sharesEntity)
    goesAlong =
      kin.contains { $0.description.properties.contains { $0.destination != nil && !$0.isToMany && !$0.isOptional } }
      || all.contains { other in
        other.description.properties.contains { property in
          property.relationship?.deleteRule == .cascade && kin.contains { $0.description.type == property.destination }
        }
      }
  }

  // MARK: Hierarchies

  /// The class of a record of the entity.
  func binding(of view: RecordView) -> EntityBinding { family?.binding(of: view) ?? self }

  func binding(of image: RecordImage) -> EntityBinding {
    guard let family else { return self }
    return image.withView { family.binding(of: $0) }
  }

  /// Whether it is another class's binding or that of one that inherits from it.
  func isKind(of other: EntityBinding) -> Bool {
    self === other || family != nil && family === other.family && description.isKind(of: other.description)
  }

  /// Whether an insert may turn out to be a record that exists.
  var hasUniqueValues: Bool { entity.indexes.contains(where: \.isUnique) }

  /// Whether records of both lie in one entity.
  func sharesEntity(with other: EntityBinding) -> Bool { self === other || family != nil && family === other.family }

  /// A condition on records of the class and of those below it, as one on the records of the entity.
  func narrowed(_ filter: RecordFilter) -> RecordFilter {
    family == nil ? filter : .conjunction([classFilter, filter])
  }

  /// All records of the class without those below it.
  var exactQuery: RecordQuery { RecordQuery(entity: entity.number, filter: family?.exactFilter(self) ?? .all) }

  /// All records of the class and of those below it.
  var wholeQuery: RecordQuery { RecordQuery(entity: entity.number, filter: classFilter) }

  /// The binding of a relationship's other side; nil for attributes.
  func destination(of index: Int) -> EntityBinding? { destinations[index]?.binding }

  /// The number of the property that a key path names; nil for other key paths.
  func index(of keyPath: AnyKeyPath) -> Int? { description.index(of: keyPath) }
}

/// One store of a container.
final class StoreBinding: Sendable {
  /// The place among the container's stores.
  let index: Int
  let store: RecordStore
  /// The store's family, as text.
  let identifier: String
  let configuration: ModelConfiguration
  /// The data store of another kind that ``store`` is the mirror of.
  let foreign: ForeignStore?

  init(index: Int, store: RecordStore, configuration: ModelConfiguration, foreign: ForeignStore?) {
    self.index = index
    self.store = store
    self.foreign = foreign
    identifier = foreign?.identifier ?? store.storeID.description
    self.configuration = configuration
  }

  func erase() throws {
    try foreign?.erase()
    try store.erase()
  }
}
