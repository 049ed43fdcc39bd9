import Foundation
import RecordStore

// Fetches from somebody else's data store.

extension ModelContext {
  /// As ``fetch(_:)``. The store's order stands unless unsaved changes have to be put in their places.
  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, from foreign: ForeignStore, _ binding: EntityBinding
  ) throws -> [T] {
    let overlays = descriptor.includePendingChanges && hasChanges
    var asked = descriptor
    if overlays {
      asked.fetchLimit = nil
      asked.fetchOffset = nil
    }
    begin(foreign)
    let answer = try foreign.fetch(asked, editingState, binding, core)
    try catchUp(binding.store)
    let accepts = descriptor.acceptance
    var models = answer.identifiers.compactMap { object($0.recordID, binding) as? T }
    guard overlays else {
      if answer.needsFilter { models = models.filter(accepts) }
      if answer.needsSort { models.sort(by: ModelOrder(descriptor.sortBy).precedes) }
      if answer.needsFilter || answer.needsSort { return descriptor.window(models) }
      return Array(descriptor.fetchLimit.map { models.prefix($0) } ?? models[...])
    }
    try noteEffects()
    weighed.isRunning = true
    defer { weighed.isRunning = false }
    let changed = (pending.liveInserted + pending.liveChanged).compactMap { $0 as? T }
      .filter { !$0._$storage.isDeleted && accepts($0) }
    models = models.filter { !$0._$storage.isAffected && (!answer.needsFilter || accepts($0)) } + changed
    let needsSort = answer.needsSort || !changed.isEmpty && !descriptor.sortBy.isEmpty
    if needsSort { models.sort(by: ModelOrder(descriptor.sortBy).precedes) }
    return descriptor.window(models)
  }

  /// How many objects somebody else's store counts; nil if objects have to be looked at.
  func foreignCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int? {
    try direct(descriptor) { try $0.fetchCount($1) }
  }

  /// The identifiers that somebody else's store gives; nil if objects have to be looked at.
  func foreignIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier]? {
    try direct(descriptor) { try $0.fetchIdentifiers($1) }
  }

  private func direct<T: PersistentModel, Result>(
    _ descriptor: FetchDescriptor<T>, _ body: (any DataStore, DataStoreFetchRequest<T>) throws -> Result
  ) throws -> Result? {
    guard let foreign = try core.binding(of: T.self).store.foreign,
      !(descriptor.includePendingChanges && hasChanges)
    else { return nil }
    try throwNoted()
    begin(foreign)
    return try foreign.direct(DataStoreFetchRequest(descriptor: descriptor, editingState: editingState), body)
  }

  /// The store hears of this context before the first request.
  func begin(_ foreign: ForeignStore) {
    guard begun.insert(ObjectIdentifier(foreign)).inserted else { return }
    foreign.begin(editingState)
  }

  /// Reads the class of an object that was not given yet; whether there is something new to look at.
  func loadForeign(_ binding: EntityBinding) throws -> Bool {
    guard let foreign = binding.store.foreign else { return false }
    begin(foreign)
    return try foreign.loadWhole(binding, editingState, core)
  }
}

extension ModelContext {
  /// Whether a batching data store of another kind keeps the class, and deleted the objects now. Unsaved changes of
  /// the context are left to the usual way.
  func deleteAtOnce<T: PersistentModel>(
    _ type: T.Type, where predicate: Predicate<T>?, includeSubclasses: Bool
  ) throws -> Bool {
    let binding = try core.binding(of: type)
    guard let foreign = binding.store.foreign, !hasChanges else { return false }
    begin(foreign)
    let request = DataStoreBatchDeleteRequest(
      predicate: predicate, includeSubclasses: includeSubclasses, editingState: editingState)
    guard try foreign.delete(request, binding, core) else { return false }
    processPendingChanges()
    return true
  }
}
