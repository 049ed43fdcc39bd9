import Foundation
import RecordStore

/// Somebody else's data store in a container.
///
/// Its answers are kept in a store of ours in memory, the mirror, so that contexts work with it as with any other:
/// identity, relationships, unsaved changes, refreshes between contexts. The mirror holds what was asked for, and whole
/// classes where references lead to objects that nobody gave.
///
/// `@unchecked Sendable` because every use of the data store, and every change of the mirror, holds the lock.
final class ForeignStore: @unchecked Sendable {
  let identifier: String
  private let store: any DataStore
  private let lock = NSRecursiveLock()
  /// Classes that were read whole, by entity name.
  private var whole: Set<String> = []

  init(
    _ configuration: any DataStoreConfiguration, _ descriptions: [ModelDescription], of schema: Schema,
    _ plan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let part = Schema(descriptions.map(\.type), version: schema.version)
    store = try Self.make(configuration, part, plan)
    identifier = store.identifier
  }

  private static func make<C: DataStoreConfiguration>(
    _ configuration: C, _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?
  ) throws -> any DataStore {
    var configuration = configuration
    configuration.schema = configuration.schema ?? schema
    try configuration.validate()
    return try C.Store(configuration, migrationPlan: plan)
  }

  /// Runs a body while no other thread uses the store or changes the mirror.
  func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  func begin(_ state: EditingState) { exclusively { store.initializeState(for: state) } }
  func end(_ state: EditingState) { exclusively { store.invalidateState(for: state) } }

  func erase() throws {
    try exclusively {
      try store.erase()
      whole = []
    }
  }
}

// Reading.
extension ForeignStore {
  /// The store's answer to a fetch.
  struct Answer {
    var identifiers: [PersistentIdentifier] = []
    var snapshots: [DefaultSnapshot] = []
    /// The work that the store left to the context.
    var needsFilter = false
    var needsSort = false
  }

  /// Asks, and brings the mirror to the answer.
  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState, _ binding: EntityBinding, _ core: ContainerCore
  ) throws -> Answer {
    try exclusively {
      let answer = try ask(descriptor, state)
      let isWhole =
        (descriptor.predicate == nil || answer.needsFilter) && descriptor.fetchLimit == nil
        && descriptor.fetchOffset == nil
      try mirror(answer.snapshots, whole: isWhole ? [binding.description.name] : [], state, binding.store, core)
      return answer
    }
  }

  /// As `ask`, where the store shall count or name objects itself; nil if it wants the context to look at objects.
  func direct<T: PersistentModel, Result>(
    _ request: DataStoreFetchRequest<T>, _ body: (any DataStore, DataStoreFetchRequest<T>) throws -> Result
  ) throws -> Result? {
    try exclusively {
      do {
        return try body(store, request)
      } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
        return nil
      }
    }
  }

  /// Reads all objects of a class, if that was not done yet; whether it was done now.
  func loadWhole(_ binding: EntityBinding, _ state: EditingState, _ core: ContainerCore) throws -> Bool {
    func opened<M: PersistentModel>(_ type: M.Type) throws {
      _ = try fetch(FetchDescriptor<M>(), state, binding, core)
    }
    return try exclusively {
      guard !whole.contains(binding.description.name) else { return false }
      try opened(binding.description.type)
      return true
    }
  }

  private func ask<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ state: EditingState) throws -> Answer {
    var asked = descriptor
    var answer = Answer()
    while true {
      do {
        let found = try Self.snapshots(store, DataStoreFetchRequest(descriptor: asked, editingState: state))
        answer.identifiers = found.fetched.map(\.persistentIdentifier)
        answer.snapshots = found.fetched + found.related
        return answer
      } catch DataStoreError.preferInMemoryFilter where !answer.needsFilter {
        answer.needsFilter = true
        asked.predicate = nil
      } catch DataStoreError.preferInMemorySort where !answer.needsSort {
        answer.needsSort = true
        asked.sortBy = []
      }
      // A result that is filtered or sorted here is cut here.
      asked.fetchLimit = nil
      asked.fetchOffset = nil
    }
  }

  private static func snapshots<S: DataStore, T: PersistentModel>(
    _ store: S, _ request: DataStoreFetchRequest<T>
  ) throws -> (fetched: [DefaultSnapshot], related: [DefaultSnapshot]) {
    let result = try store.fetch(request)
    return (try result.fetchedSnapshots.map(plain), try result.relatedSnapshots.values.map(plain))
  }

  /// A snapshot of any kind as one of ours: both encode by the same keys.
  private static func plain<S: DataStoreSnapshot>(_ snapshot: S) throws -> DefaultSnapshot {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot }
    return try JSONDecoder().decode(DefaultSnapshot.self, from: JSONEncoder().encode(snapshot))
  }
}

// The mirror.
extension ForeignStore {
  /// Takes snapshots in, and what they refer to. Objects of a whole class that are not among them go.
  private func mirror(
    _ snapshots: [DefaultSnapshot], whole classes: Set<String>, _ state: EditingState, _ place: StoreBinding,
    _ core: ContainerCore
  ) throws {
    var all = snapshots
    var classes = classes
    var seen = whole.union(classes)
    var next = snapshots[...]
    while !next.isEmpty {
      var found: [DefaultSnapshot] = []
      for name in try missing(next, beside: all, place, core).subtracting(seen).sorted() {
        guard let binding = core.binding(named: name), binding.store === place else { continue }
        seen.insert(name)
        classes.insert(name)
        found += try askWhole(binding, state)
      }
      all += found
      next = found[...]
    }
    try write(all, whole: classes, place, core)
    whole.formUnion(classes)
  }

  private func askWhole(_ binding: EntityBinding, _ state: EditingState) throws -> [DefaultSnapshot] {
    func opened<M: PersistentModel>(_ type: M.Type) throws -> [DefaultSnapshot] {
      try ask(FetchDescriptor<M>(), state).snapshots
    }
    return try opened(binding.description.type)
  }

  /// The classes of objects that are referred to and that nobody has.
  private func missing(
    _ snapshots: ArraySlice<DefaultSnapshot>, beside all: [DefaultSnapshot], _ place: StoreBinding,
    _ core: ContainerCore
  ) throws -> Set<String> {
    let known = Set(all.map(\.persistentIdentifier))
    var targets: Set<PersistentIdentifier> = []
    for snapshot in snapshots { targets.formUnion(snapshot.references.filter { !known.contains($0) }) }
    return try place.store.read { view in
      Set(
        try targets.filter { target in
          guard let binding = core.binding(named: target.entityName) else { return false }
          return try view.row(target.recordID, of: binding.entity.number) == nil
        }.map(\.entityName))
    }
  }

  private func write(
    _ snapshots: [DefaultSnapshot], whole classes: Set<String>, _ place: StoreBinding, _ core: ContainerCore
  ) throws {
    let given = Set(snapshots.map(\.persistentIdentifier))
    let changes = try place.store.read { view throws -> [RecordChange] in
      var changes = SnapshotChanges(core, place)
      var seen: Set<PersistentIdentifier> = []
      for whole in snapshots where seen.insert(whole.persistentIdentifier).inserted {
        guard let binding = core.binding(named: whole.persistentIdentifier.entityName) else { continue }
        // The store may name objects that it does not have any more.
        let snapshot = try whole.keeping { target in
          guard !given.contains(target), let entity = core.binding(named: target.entityName)?.entity else {
            return true
          }
          return try view.row(target.recordID, of: entity.number) != nil
        }
        let id = snapshot.persistentIdentifier.recordID
        if let image = try view.record(id, of: binding.entity.number) {
          try changes.update(snapshot, image, view)
        } else {
          try changes.insert(snapshot)
        }
      }
      let kept = Set(seen.map(\.recordID))
      for name in classes.sorted() {
        guard let binding = core.binding(named: name) else { continue }
        // A store may give the objects of subclasses with those of a class, or when it is asked for them.
        for id in try view.identifiers(binding.exactQuery) where !kept.contains(id) { changes.delete(id, binding) }
      }
      return changes.all
    }
    if !changes.isEmpty { _ = try place.store.commit(SaveRequest(changes: changes)) }
  }
}

// Saving.
extension ForeignStore {
  /// The objects of a save, as they are after it.
  struct Save {
    var inserted: [ModelStorage] = []
    var updated: [(storage: ModelStorage, identifier: PersistentIdentifier)] = []
    var deleted: [ModelStorage] = []
  }

  /// Has the store save; then says which identifiers it gave to inserted objects. Holds the lock already.
  func save(
    _ save: Save, _ state: EditingState
  ) throws -> ([PersistentIdentifier: PersistentIdentifier], [DefaultSnapshot]) {
    try Self.save(save, to: store, state)
  }

  /// Takes in what the store holds otherwise than it was asked to.
  func reregister(
    _ snapshots: [DefaultSnapshot], _ state: EditingState, _ place: StoreBinding, _ core: ContainerCore
  ) throws {
    if !snapshots.isEmpty { try mirror(snapshots, whole: [], state, place, core) }
  }

  private static func save<S: DataStore>(
    _ save: Save, to store: S, _ state: EditingState
  ) throws -> ([PersistentIdentifier: PersistentIdentifier], [DefaultSnapshot]) {
    var related: [PersistentIdentifier: any BackingData] = [:]
    func snapshot(_ storage: ModelStorage) -> S.Snapshot {
      func opened<M: PersistentModel>(_ type: M.Type) -> S.Snapshot {
        S.Snapshot(from: ModelBackingData<M>(storage), relatedBackingDatas: &related)
      }
      return opened(storage.type)
    }
    let request = DataStoreSaveChangesRequest(
      inserted: save.inserted.map(snapshot),
      updated: save.updated.map { snapshot($0.storage).copy(persistentIdentifier: $0.identifier) },
      deleted: save.deleted.map(snapshot), editingState: state)
    let result = try store.save(request)
    return (result.remappedIdentifiers, try result.snapshotsToReregister.values.map(plain))
  }
}

// History and deletes in bulk, of stores that have them.
extension ForeignStore {
  /// The transactions of a store with a history of this type; nil for another store.
  func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    guard let provider = store as? any HistoryProviding else { return nil }
    func opened<P: HistoryProviding>(_ provider: P) throws -> [T]? {
      guard let own = descriptor as? HistoryDescriptor<P.HistoryType> else { return nil }
      return try provider.fetchHistory(own).compactMap { $0 as? T }
    }
    return try exclusively { try opened(provider) }
  }

  /// Whether the store has a history of this type, and did so.
  func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    guard let provider = store as? any HistoryProviding else { return false }
    func opened<P: HistoryProviding>(_ provider: P) throws -> Bool {
      guard let own = descriptor as? HistoryDescriptor<P.HistoryType> else { return false }
      try provider.deleteHistory(own)
      return true
    }
    return try exclusively { try opened(provider) }
  }

  /// Whether the store deletes in bulk, and did so.
  func delete<T: PersistentModel>(
    _ request: DataStoreBatchDeleteRequest<T>, _ binding: EntityBinding, _ core: ContainerCore
  ) throws -> Bool {
    guard let batching = store as? any DataStoreBatching else { return false }
    try exclusively {
      try batching.delete(request)
      // The rest of the class is read anew.
      _ = try fetch(FetchDescriptor<T>(), request.editingState, binding, core)
    }
    return true
  }
}

extension DefaultSnapshot {
  /// The values without references to objects that are not there, but for those that must not be nil.
  fileprivate func keeping(_ isThere: (PersistentIdentifier) throws -> Bool) rethrows -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier,
      try values.mapValues { value in
        guard case .toMany(let members) = value else { return value }
        return .toMany(try members.filter(isThere))
      })
  }

  /// The objects that the values refer to.
  fileprivate var references: [PersistentIdentifier] {
    values.values.flatMap { value -> [PersistentIdentifier] in
      switch value {
      case .attribute: []
      case .toOne(let target): target.map { [$0] } ?? []
      case .toMany(let members): members
      }
    }
  }
}
