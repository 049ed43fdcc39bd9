public import Foundation

/// A context's question to a data store.
public struct DataStoreFetchRequest<T: PersistentModel> {
  /// The class, the predicate, the order and the number of objects to fetch.
  public let descriptor: FetchDescriptor<T>
  /// The context that asks.
  public let editingState: EditingState

  /// A request for a store that is asked without a context.
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// A data store's answer to a fetch.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot> {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>
  /// The objects, in the descriptor's order.
  public let fetchedSnapshots: [SnapshotType]
  /// Objects that the fetched ones refer to, so that nobody has to ask for them.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// An answer with its objects.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// A context's changes for a data store to save: whole objects, the effects of delete rules included.
///
/// ```swift
/// var all = try read()
/// var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
/// for snapshot in request.inserted {
///   remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
///     for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
/// }
/// for snapshot in request.inserted + request.updated {
///   let id = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
///   all[id] = snapshot.copy(persistentIdentifier: id, remappedIdentifiers: remapped)
/// }
/// for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
/// try write(all)
/// return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
/// ```
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// New objects, under temporary identifiers.
  public let inserted: [SnapshotType]
  /// Objects that the store holds and that have other values now.
  public let updated: [SnapshotType]
  /// Objects that the store holds and shall not any more, with their last values.
  public let deleted: [SnapshotType]
  /// The context that saves.
  public let editingState: EditingState

  /// A request for a store that is asked without a context.
  public init(
    inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType], editingState: EditingState
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// A data store's answer to a save.
public final class DataStoreSaveChangesResult<SnapshotType: DataStoreSnapshot> {
  /// The identifier of the store that saved.
  public let storeIdentifier: String
  /// By temporary identifier of an inserted object, the one that it has from now on.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Objects that the store holds otherwise than the request said: the context takes these values.
  public let snapshotsToReregister: [PersistentIdentifier: SnapshotType]
  /// The place in the store's history after the save, if it has one.
  public let historyToken: (any HistoryToken)?

  /// An answer to a save.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: SnapshotType] = [:], historyToken: (any HistoryToken)? = nil
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}

/// Which objects a batching data store deletes at once.
public struct DataStoreBatchDeleteRequest<T: PersistentModel> {
  /// Nil: all objects of the class.
  public let predicate: Predicate<T>?
  /// Whether objects of classes that inherit from it are deleted too.
  public let includeSubclasses: Bool
  /// The context that deletes.
  public let editingState: EditingState

  /// A request for a store that is asked without a context.
  public init(predicate: Predicate<T>? = nil, includeSubclasses: Bool = true, editingState: EditingState) {
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
    self.editingState = editingState
  }
}

/// The answer of a data store that cannot do as asked.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The predicate means nothing to the store.
  case invalidPredicate
  /// The context shall ask without predicate and filter itself.
  case preferInMemoryFilter
  /// The context shall ask without order and sort itself.
  case preferInMemorySort
  /// The store cannot do this at all.
  case unsupportedFeature
}
