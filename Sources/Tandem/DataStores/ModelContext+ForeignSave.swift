import RecordStore

// Saves to somebody else's data store.

extension ModelContext {
  /// Carries out changes. At somebody else's store: finds out what it will do, has the store save that, and
  /// brings the
  /// mirror there. If anything throws before, nothing is changed anywhere.
  func commit(_ work: LocalWork, _ part: PendingChanges, in store: StoreBinding) throws -> SaveResult {
    let request = SaveRequest(author: author, .save(work))
    guard let foreign = store.foreign else { return try store.store.commit(request) }
    begin(foreign)
    return try foreign.exclusively {
      let preview = try store.store.preview(request)
      if work.once != nil, preview.once != .performed { return preview }
      let (remapped, reregistered) = try saved(preview, part, store, foreign)
      for (old, new) in remapped { rename(old.recordID, new.recordID) }
      var settled = try self.work(of: part, in: store).0
      settled.once = work.once
      let result = try store.store.commit(SaveRequest(author: author, .save(settled)))
      try foreign.reregister(reregistered, editingState, store, core)
      return result
    }
  }

  /// Has the store save the objects as they will be: relationships leave out what the delete rules take.
  private func saved(
    _ preview: SaveResult, _ part: PendingChanges, _ store: StoreBinding, _ foreign: ForeignStore
  ) throws -> ([PersistentIdentifier: PersistentIdentifier], [DefaultSnapshot]) {
    try noteEffects()
    weighed.isRunning = true
    defer { weighed.isRunning = false }
    return try foreign.save(foreignSave(preview, part, store), editingState)
  }

  /// The objects that a request inserts, changes and deletes, the effects of delete rules included.
  private func foreignSave(
    _ preview: SaveResult, _ part: PendingChanges, _ store: StoreBinding
  ) -> ForeignStore.Save {
    var save = ForeignStore.Save()
    var seen: Set<RecordID> = []
    // An insert that turned out to be an object that exists: its values, under that one's name.
    for model in part.liveInserted {
      let storage = model._$storage
      guard let existing = preview.remapped[storage.recordID], seen.insert(existing).inserted else { continue }
      let identifier = PersistentIdentifier(
        recordID: existing, entityName: storage.description.name, storeIdentifier: store.identifier)
      save.updated.append((storage, identifier))
    }
    for change in preview.changes where seen.insert(change.id).inserted {
      guard let binding = core.binding(of: change.entity, in: store.index),
        let model = object(change.id, binding)
      else { continue }
      switch change.kind {
      case .insert: save.inserted.append(model._$storage)
      case .update: save.updated.append((model._$storage, model.persistentModelID))
      case .delete: save.deleted.append(model._$storage)
      }
    }
    // A change of links alone changes no record, but the objects on both sides.
    let linked = part.liveChanged + save.deleted.flatMap(neighbours)
    for model in linked where seen.insert(model._$storage.recordID).inserted {
      save.updated.append((model._$storage, model.persistentModelID))
    }
    return save
  }

  /// The objects that a deleted one was linked to and that stay.
  private func neighbours(_ storage: ModelStorage) -> [any PersistentModel] {
    storage.description.relationshipIndexes.flatMap { index -> [any PersistentModel] in
      let isToMany = storage.description.properties[index].isToMany
      return isToMany ? storage.members(index) : [storage.target(index)].compactMap { $0 }
    }.filter { !$0._$storage.isDeleted }
  }

  private func rename(_ old: RecordID, _ new: RecordID) {
    guard old != new, let model = map[old] else { return }
    map.remove(old)
    guard map[new] == nil else { return }
    model._$storage.recordID = new
    map.insert(model, new)
  }
}

extension RecordStore {
  private struct Preview: Error {
    let result: SaveResult
  }

  /// The effects that a request would have; the store stays as it is.
  fileprivate func preview(_ request: SaveRequest) throws -> SaveResult {
    do {
      let done: (SaveResult, Void) = try commit({ _ in (request, ()) }) { _, result, _ in throw Preview(result: result)
      }
      return done.0
    } catch let preview as Preview {
      return preview.result
    }
  }
}
