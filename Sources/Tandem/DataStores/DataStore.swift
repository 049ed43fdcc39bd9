/// A place that a container keeps objects in, instead of a store of this library or beside it: a file of your own
/// format, a server, a test double.
///
/// Name its configuration when the container is made. The context then asks it by requests and speaks with it in
/// snapshots, which are values. Delete rules, inverses and unsaved changes are the context's business.
///
/// Calls come one at a time, from whatever thread works with the container. A call must not use the container.
public protocol DataStore<Configuration, Snapshot>: AnyObject {
  /// The type that names and describes the store.
  associatedtype Configuration: DataStoreConfiguration
  /// The type of the values in which objects are handed over.
  associatedtype Snapshot: DataStoreSnapshot

  /// Opens the store, for the classes of the configuration's schema.
  /// - Throws: anything; the making of the container then throws it.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// The configuration that the store was made with.
  var configuration: Configuration { get }
  /// The classes that the store holds.
  var schema: Schema { get }
  /// Names the store in the identifiers of its objects; the same at every launch.
  var identifier: String { get }

  /// The objects that a descriptor means, in its order.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to be asked
  /// again without
  ///   predicate or order and limit; the context does it then.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  /// The number of objects that a descriptor means. The default fetches and counts.
  ///
  /// - Throws: As ``fetch(_:)``.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int
  /// The identifiers of the objects that a descriptor means, in its order. The default fetches.
  ///
  /// - Throws: As ``fetch(_:)``.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]

  /// Makes the changes permanent, all or none: if it throws, everything is still pending in the context.
  ///
  /// - Throws: Anything; the context's save then throws it.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>
  /// Removes every object. A store that does not implement it cannot be erased.
  ///
  /// - Throws: Anything; the container's erasing then throws it.
  func erase() throws

  /// A context begins to work with the store.
  func initializeState(for editingState: EditingState)
  /// A context is gone.
  func invalidateState(for editingState: EditingState)
  /// Snapshots that the store holds in memory already.
  ///
  /// - Throws: Anything.
  func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Fetches, and counts the snapshots.
  ///
  /// - Throws: What ``fetch(_:)`` throws.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }

  /// Fetches, and takes the snapshots' identifiers.
  ///
  /// - Throws: What ``fetch(_:)`` throws.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  /// Refuses.
  /// - Throws: ``DataStoreError/unsupportedFeature``.
  public func erase() throws { throw DataStoreError.unsupportedFeature }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}
  /// Nothing: no snapshot is held.
  ///
  /// - Throws: Nothing.
  public func cachedSnapshots(
    for identifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A data store that deletes by predicate, without anybody reading the objects.
///
/// ```swift
/// func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
///   guard request.predicate == nil else { throw DataStoreError.unsupportedFeature }
///   notes = [:]
/// }
/// ```
public protocol DataStoreBatching: DataStore {
  /// Deletes at once, not at the next save.
  ///
  /// - Throws: Anything; the context's deletion then throws it.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}
