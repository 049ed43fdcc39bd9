import RecordStore
import Synchronization

/// The state that a container and its contexts share: the open stores, and the place of each class in them.
///
/// Apart from ``ModelContainer`` so that a context can hold it without holding the container, which in turn
/// holds its main context. Everything but the noted error is set before sharing.
final class ContainerCore: Sendable {
  let schema: Schema
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  let stores: [StoreBinding]
  private let bindings: [ObjectIdentifier: EntityBinding]
  /// Whether any class inherits from another one.
  let hasHierarchies: Bool
  private let names: [String: EntityBinding]
  /// Per store, by entity number; of a hierarchy the class at its root.
  private let numbers: [[EntityBinding?]]
  /// As the stores were when they were opened; numbers never change.
  private let catalogues: [Catalogue]
  /// An error of a call that could not throw.
  private let noted = Mutex<(any Error)?>(nil)
  @MainActor weak var mainContext: ModelContext?
  let mainContextWakeUp = MainContextWakeUp()
  /// The observations behind ``ModelContainer/remoteChange``, once somebody asked for it.
  let observations = Mutex<[CommitObservation]>([])
  /// Whether any store takes saves.
  let allowsSave: Bool
  /// Whether any store is still there when the container and the process are gone.
  let outlivesProcess: Bool
  /// The objects of an earlier step of a migration: they take in nothing that was saved since.
  let looksBack: Bool

  convenience init(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?, configurations: [ModelConfiguration]
  ) throws {
    let schema = SchemaPartition.schema(schema, migrationPlan, configurations)
    let opened = try Self.open(schema, migrationPlan, configurations)
    try self.init(
      schema: schema, migrationPlan: migrationPlan,
      parts: opened.map { ($0.store, $0.part.configuration, $0.part.descriptions) })
    RemoteChange.register(self)
  }

  /// One store, seen from inside a migration or a batch. `elsewhere`: the classes of the container's other stores, of
  /// which nothing is seen there.
  convenience init(
    schema: Schema, store: RecordStore, configuration: ModelConfiguration, _ descriptions: [ModelDescription],
    elsewhere: [ModelDescription] = [], looksBack: Bool = false
  ) throws {
    var parts = [(store, configuration, descriptions)]
    if !elsewhere.isEmpty {
      let names = elsewhere.map(\.name).sorted().joined(separator: ", ")
      let standIn = try RecordStore.standIn(
        schema: StoreSchema(elsewhere, version: schema.version),
        refusal: "\(names) lie in another store than \(configuration.name), which migrates by itself: save them in the "
          + "run of the stage in which a fetch finds them, or once the container is there")
      parts.append((standIn, configuration, elsewhere))
    }
    try self.init(
      schema: schema, migrationPlan: nil, parts: parts, looksInside: true, looksBack: looksBack)
  }

  private init(
    schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    parts: [(RecordStore, ModelConfiguration, [ModelDescription])], looksInside: Bool = false,
    looksBack: Bool = false
  ) throws {
    self.schema = schema
    self.looksBack = looksBack
    self.migrationPlan = migrationPlan
    var stores: [StoreBinding] = []
    var bindings: [EntityBinding] = []
    var catalogues: [Catalogue] = []
    for (opened, configuration, descriptions) in parts {
      let store = StoreBinding(
        index: stores.count, store: opened, configuration: configuration,
        foreign: try looksInside
          ? nil
          : configuration.foreign.map { try ForeignStore($0.configuration, descriptions, of: schema, migrationPlan) })
      stores.append(store)
      let catalogue = try store.store.read { $0.catalogue }
      catalogues.append(catalogue)
      bindings += try descriptions.map { description in
        guard let entity = catalogue.entity(named: description.root.name) else {
          throw SwiftDataError(
            .unknownSchema,
            "the store \(configuration.name) has no entity \(description.root.name); open it for writing once")
        }
        return EntityBinding(description, entity: entity, store: store)
      }
    }
    self.stores = stores
    allowsSave = stores.contains { $0.configuration.allowsSave }
    outlivesProcess = stores.contains { $0.foreign != nil || !$0.configuration.isStoredInMemoryOnly }
    self.catalogues = catalogues
    let byType = Dictionary(bindings.map { (ObjectIdentifier($0.description.type), $0) }) { first, _ in first }
    self.bindings = byType
    hasHierarchies = bindings.contains { $0.description.superclass != nil }
    names = Dictionary(bindings.map { ($0.description.name, $0) }) { first, _ in first }
    numbers = stores.map { store in
      let roots = bindings.filter { $0.store === store && $0.description.superclass == nil }
      let end = (roots.map(\.entity.number).max() ?? -1) + 1
      return (0..<end).map { number in roots.first { $0.entity.number == number } }
    }
    for members in Dictionary(grouping: bindings, by: { ObjectIdentifier($0.description.root) }).values {
      let family = ClassFamily(members)
      for binding in members { binding.connect(family) { byType[ObjectIdentifier($0)] } }
    }
    for binding in bindings { binding.noteRules(of: bindings) }
    ModelDescription.noteUse(
      of: bindings.map(\.description), inForeignStores: stores.contains { $0.foreign != nil })
  }

  func binding(of type: any PersistentModel.Type) throws -> EntityBinding {
    if let binding = bindings[ObjectIdentifier(type)] { return binding }
    throw SwiftDataError(
      .unknownSchema, "\(type) does not belong to the container's schema; name it when the container is made")
  }

  func binding(of type: ObjectIdentifier) -> EntityBinding? { bindings[type] }
  func entityNumbers(in store: Int) -> [EntityNumber] { catalogues[store].entities.map(\.number) }
  /// Whether an entity's records are the links of a many-to-many relationship.
  func holdsLinks(_ number: EntityNumber, in store: Int) -> Bool {
    catalogues[store].entities.indices.contains(number) && catalogues[store].entities[number].isJoin
  }
  func hasLinks(in store: Int) -> Bool { catalogues[store].entities.contains(where: \.isJoin) }
  func bindings(in store: Int) -> [EntityBinding] { bindings.values.filter { $0.store.index == store } }
  func binding(named name: String) -> EntityBinding? { names[name] }
  func binding(of number: EntityNumber, in store: Int) -> EntityBinding? {
    numbers[store].indices.contains(number) ? numbers[store][number] : nil
  }

  /// Keeps an error for the next throwing call; an earlier one stays.
  func note(_ error: any Error) { noted.withLock { $0 = $0 ?? error } }
  func throwNoted() throws {
    let error = noted.withLock { noted in
      defer { noted = nil }
      return noted
    }
    if let error { throw error }
  }

  /// The error of a store that another process has migrated, or taken back, to a schema that this container's is no
  /// part of; nil if all are as the container knows them, or cannot be read for another reason.
  var lostSchema: StoreError? {
    for store in stores {
      do {
        try store.store.read { _ in }
      } catch let error as StoreError where error.code == .backwardMigration || error.code == .incompatibleSchema {
        return error
      } catch {
        continue
      }
    }
    return nil
  }

  func deleteAllData() {
    do {
      for store in stores { try store.erase() }
    } catch {
      note(error)
    }
  }
}
