public import RecordStore

/// The stores of one app, opened: made once, shared by all contexts.
///
/// Safe to use from any thread. Two containers on one store are allowed, in one process or in several.
/// A container lives as long as somebody holds it or one of its contexts.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: memory)
/// let context = ModelContext(container)
/// context.insert(Trip(code: "A1", destination: "Lviv"))
/// try context.save()
/// ```
public final class ModelContainer: Sendable {
  let core: ContainerCore

  init(core: ContainerCore) { self.core = core }

  /// Opens the stores, creating those that are missing, with the folders on the way to them.
  ///
  /// Without models the container has those that the configurations' schemas name, else those of the plan's newest
  /// version. Where nobody names any, the stores are opened as they are, and a context knows no class.
  ///
  /// - Throws: `SwiftDataError`, for a schema or configuration that contradicts itself, and for what the files do not
  ///   allow. Nothing was created or changed in the store concerned.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    core = try ContainerCore(schema: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of some configurations, with the schema given; as
  /// ``init(for:migrationPlan:configurations:)-(_,_,[ModelConfiguration])``.
  ///
  /// - Throws: As ``init(for:migrationPlan:configurations:)-(_,_,[ModelConfiguration])``.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws {
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of some configurations, for the given models and those that their relationships reach.
  /// - Throws: `SwiftDataError`, for a schema or configuration that contradicts itself, and for what the files do not
  ///   allow. Nothing was created or changed in the store concerned.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// The context of the main actor; the same one every time.
  @MainActor public var mainContext: ModelContext {
    if let main { return main }
    let context = core.mainContext ?? ModelContext(self, isMain: true)
    core.mainContext = context
    main = context
    return context
  }
  // The core knows its main context weakly, because the context holds the core.
  @MainActor private var main: ModelContext?

  /// The models of all stores.
  public var schema: Schema { core.schema }
  /// The plan that the container was made with; nil without one.
  public var migrationPlan: (any SchemaMigrationPlan.Type)? { core.migrationPlan }
  /// The configurations of the stores of this library; those of other data stores are left out.
  public var configurations: Set<ModelConfiguration> {
    Set(core.stores.filter { $0.foreign == nil }.map(\.configuration))
  }

  /// The store below, for `SyncEngine` and inspection; of several configurations, the first one's that has one.
  public var store: RecordStore { (core.ownStores.first ?? core.stores[0]).store }
  /// The store of a configuration's name.
  public func store(named name: String) -> RecordStore? {
    core.stores.first { $0.configuration.name == name }?.store
  }

  /// The store of a configuration: names need not differ.
  package func store(of configuration: ModelConfiguration) -> RecordStore? {
    core.stores.first { $0.configuration == configuration }?.store
  }

  /// The identifier of the store of a configuration's name, as identifiers of objects and transactions of history have
  /// it; nil without such a configuration.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.first { $0.configuration.name == name }?.identifier
  }
  /// The name of the configuration whose store has an identifier; nil without such a store.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.first { $0.identifier == identifier }?.configuration.name
  }

  /// Removes every object, the history and what is known of other devices. Contexts see all objects deleted.
  ///
  /// - Throws: `SwiftDataError` where a store cannot be written, such as `busy` or `readOnly`; that store is unchanged
  ///   then, and those before it are empty.
  public func erase() throws {
    for store in core.stores { try store.erase() }
  }

  /// As ``erase()``; a failure is reported by the next fetch or save of a context.
  public func deleteAllData() { core.deleteAllData() }
}

extension ModelContainer: Equatable {
  /// Whether both are one and the same container.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.core === right.core }
}
