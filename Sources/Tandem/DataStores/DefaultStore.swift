import RecordStore

/// This library's own store as a data store, for code that works with any: snapshots in, snapshots out.
///
/// ```swift
/// let store = try DefaultStore(configuration, migrationPlan: nil)
/// let state = context.editingState
/// let all = try store.fetch(DataStoreFetchRequest(descriptor: FetchDescriptor<Receipt>(), editingState: state))
/// try store.delete(
///   DataStoreBatchDeleteRequest<Receipt>(predicate: #Predicate { $0.amount < 5 }, editingState: state))
/// ```
///
/// A container does not go this way: its contexts read the store's records directly. Safe to use from any thread.
public final class DefaultStore: DataStoreBatching, HistoryProviding, Sendable {
  /// The configuration of the store.
  public typealias Configuration = ModelConfiguration
  /// The store's snapshots.
  public typealias Snapshot = DefaultSnapshot
  /// The store's transactions of history.
  public typealias HistoryType = DefaultHistoryTransaction

  /// The configuration that the store was made with.
  public let configuration: ModelConfiguration
  /// The classes that the store holds.
  public let schema: Schema
  private let container: ModelContainer
  private var store: StoreBinding { container.core.stores[0] }

  /// Opens the store.
  /// - Throws: `SwiftDataError.unknownSchema` without a schema of classes; what ``ModelContainer`` throws.
  public init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(.unknownSchema, "a data store needs the schema of its classes: give the configuration one")
    }
    self.configuration = configuration
    self.schema = schema
    container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
  }

  /// Names the store in the identifiers of its objects.
  public var identifier: String { store.identifier }

  /// The objects that a descriptor means, as they are stored.
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let models = try ModelContext(container).fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: models.map { DefaultSnapshot($0._$storage) })
  }

  /// The number of objects that a descriptor means.
  /// - Throws: what ``ModelContext/fetchCount(_:)`` throws.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try ModelContext(container).fetchCount(request.descriptor)
  }

  /// The identifiers of the objects that a descriptor means, in its order.
  /// - Throws: what ``ModelContext/fetchIdentifiers(_:)`` throws.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try ModelContext(container).fetchIdentifiers(request.descriptor)
  }

  /// Writes what differs, in one durable transaction. Inserted objects keep their identifiers, but those whose unique
  /// value exists already. A large value that is not on this device stays as it is where the snapshot leaves it out, as
  /// ``fetch(_:)`` does.
  ///
  /// - Throws: `StoreError`, `recordNotFound` for an updated object that is gone, `invalidRequest` for nil in the place
  ///   of a large value that is not on this device; then nothing was written.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let store = store
    let core = container.core
    let result = try store.store.commit { view throws -> (SaveRequest, Void) in
      var changes = SnapshotChanges(core, store)
      for snapshot in request.deleted {
        guard let binding = core.binding(named: snapshot.persistentIdentifier.entityName) else { continue }
        changes.delete(snapshot.persistentIdentifier.recordID, binding)
      }
      for snapshot in request.updated {
        let id = snapshot.persistentIdentifier
        guard let binding = core.binding(named: id.entityName),
          let image = try view.row(id.recordID, of: binding.entity.number)?.image()
        else { throw StoreError(.recordNotFound, "an updated object is not in the store any more: insert it instead") }
        try changes.update(snapshot, image, view)
      }
      for snapshot in request.inserted { try changes.insert(snapshot) }
      return (SaveRequest(author: request.editingState.author, changes: changes.all), ())
    }.0
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let id = snapshot.persistentIdentifier
      remapped[id] = PersistentIdentifier(
        recordID: result.remapped[id.recordID] ?? id.recordID, entityName: id.entityName,
        storeIdentifier: store.identifier)
    }
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped,
      historyToken: result.number > 0
        ? DefaultHistoryToken([identifier: Int64(clamping: result.number)]) : nil)
  }

  /// Deletes the objects that a predicate means, by the delete rules, in one durable transaction.
  /// - Throws: what ``ModelContext/save()`` throws; then nothing was deleted.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let context = ModelContext(container)
    context.author = request.editingState.author
    try context.delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }

  /// Removes every object, the history and what is known of other devices.
  /// - Throws: what ``ModelContainer/erase()`` throws.
  public func erase() throws { try container.erase() }

  /// The transactions that a descriptor means.
  /// - Throws: `SwiftDataError`, as ``ModelContext/fetchHistory(_:)``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] { try container.core.history(descriptor) }

  /// Hides the transactions that a descriptor means from readers.
  /// - Throws: `SwiftDataError`, as ``ModelContext/deleteHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try container.core.deleteHistory(descriptor)
  }
}
