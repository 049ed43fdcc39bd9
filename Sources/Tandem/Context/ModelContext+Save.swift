import Foundation
import RecordStore

extension ModelContext {
  /// Writes what changed since the last save, in one durable transaction a store.
  ///
  /// Carries only the properties that were set, so two processes that change different properties of one
  /// object both keep their change. Blocks until the device has it: two flushes are most of a
  /// small save, and per new object a large one costs what `tools/bench` calls "insert, one save".
  /// <doc:Performance> has the parts.
  ///
  /// - Throws: `SwiftDataError`: `uniquenessViolation`, `deleteDenied`, `busy`, `diskFull` and others, with the
  ///   remedy. The store is unchanged then and everything is still pending. With several stores, those
  ///   before the one that failed are saved.
  public func save() throws {
    try throwNoted()
    try refuseInOnceTransaction()
    try refuseInSnapshot()
    try saveChanges(in: core.stores)
  }

  /// ``save()`` of what lies in some stores, whatever was noted before.
  func saveChanges(in stores: [StoreBinding]) throws {
    let wasSaving = saving.isSaving
    saving.isSaving = true
    defer { saving.isSaving = wasSaving }
    if hasChanges { announceSave() }
    endUndoEvent()
    // An observer may have saved all, or rolled it back.
    guard hasChanges else {
      settle(pendingLists)
      return
    }
    var summary = SaveSummary()
    do {
      for store in stores { try save(store, &summary) }
    } catch {
      // The stores before the one that failed have saved all the same.
      if !summary.isEmpty { tell(of: summary) }
      throw error
    }
    if link.autosave == .scheduled, pendingLists.isEmpty { noteNoChanges() }
    tell(of: summary)
  }

  /// Tells observers that a save is about to begin. What they change is saved with the rest. One may also save: that
  /// save is not announced again, or it would never end.
  func announceSave() {
    guard !saving.isAnnounced else { return }
    saving.isAnnounced = true
    defer { saving.isAnnounced = false }
    NotificationCenter.default.post(name: Self.willSave, object: self)
  }

  /// Tells observers, live results and the main context what was saved.
  func tell(of summary: SaveSummary) {
    if !isMain { core.mainContextWakeUp.schedule(core) }
    for watch in watches { watch.noteSave() }
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: summary.userInfo)
  }

  private func save(_ store: StoreBinding, _ summary: inout SaveSummary) throws {
    packRest()
    guard case let all = part(in: store), !all.isEmpty else { return }
    let (work, part) = try work(of: all, in: store)
    guard !work.hasNoChanges else {
      settle(part)
      return
    }
    let replaced = try replacedValues(by: part, in: store)
    let result = try commit(work, part, in: store)
    noteReplaced(replaced, part, result.remapped)
    summary.add(result, classes(of: result, store), store)
    adopt(result, part, store)
  }

  /// The save is done, so a failure here is left to the next call that can throw.
  func classes(of result: SaveResult, _ store: StoreBinding) -> ChangedClasses {
    do {
      return try ChangedClasses(result.changes, in: store, core)
    } catch {
      note(error)
      return ChangedClasses(in: store, core)
    }
  }

  /// The changes in one store. Has no object for what nobody held, if it is the only store and that may be.
  func part(in store: StoreBinding) -> PendingChanges {
    guard core.stores.count == 1 else { return pending.part { $0.binding?.store === store } }
    return pendingLists.mayRepeat ? pending.distinct : pendingLists
  }

  /// The work of a save of a part, and the part, with an object for each where that was needed.
  func work(of part: PendingChanges, in store: StoreBinding) throws -> (LocalWork, PendingChanges) {
    if let work = try LocalWork(unlinked: part, in: store, core: core) { return (work, part) }
    let whole = part.unheld == nil ? part : pending
    return (try LocalWork(whole, in: store, core: core), whole)
  }

  /// Brings memory to what the store holds now.
  func adopt(_ result: SaveResult, _ part: PendingChanges, _ store: StoreBinding) {
    // In a plain save without deletes, whatever changed is what was written.
    let hasEffects = !result.isPlain || !part.deleted.isEmpty
    let written = !hasEffects ? [] : Set(part.liveChanged.map { $0._$storage.recordID })
    let inserted = result.remapped.isEmpty ? [] : part.liveInserted
    let unseen = part.deleted.isEmpty ? [] : unseen(part.liveInserted, result)
    for model in part.liveDeleted { leave(model) }
    // Before links to them become references by id.
    for model in inserted { adoptExisting(model, result.remapped) }
    settle(part)
    for model in unseen {
      leave(model)
      model._$storage.letGoOfLinks()
    }
    noteOwn(result.number, in: store.index)
    if !result.remapped.isEmpty { noteTouchOfAll() }
    do {
      if hasEffects { try refresh(after: result, store, written: written) }
      // Others may have saved since the last look; their commits came before this one, and so its number is not the
      // next one to what was seen.
      if result.number == 0 || positions[store.index].processed != result.number {
        try catchUp(store)
      }
    } catch {
      // The save itself is done, so it must not throw.
      note(error)
    }
  }

  /// The inserted objects that the deletes of the same save took along, such as a new child of a deleted parent.
  private func unseen(_ inserted: [any PersistentModel], _ result: SaveResult) -> [any PersistentModel] {
    if inserted.isEmpty { return [] }
    let shown = Set(result.changes.lazy.filter { $0.kind == .insert }.map(\.id))
    return inserted.filter { model in
      let id = model._$storage.recordID
      return !shown.contains(id) && result.remapped[id] == nil
    }
  }

  /// Objects whose insert became an update of an existing record are that record's from now on.
  private func adoptExisting(_ model: any PersistentModel, _ remapped: [RecordID: RecordID]) {
    let storage = model._$storage
    guard let id = remapped[storage.recordID], id != storage.recordID else { return }
    map.remove(storage.recordID)
    if let existing = map[id], !storage.changesClass(of: existing) {
      share(existing._$storage, with: model)
      // Another object may have shared the former one, which stands for no record any more. A link to it leads on.
      storage.flags = .gone
      storage.recordID = id
    } else {
      map[id].map { leave($0) }
      storage.recordID = id
      map.insert(model, id)
    }
  }

  func share<M: PersistentModel>(_ storage: ModelStorage, with model: M) {
    model.persistentBackingData = ModelBackingData<M>(storage)
  }

  /// Clears the marks of saved changes. Values stay where they are; links become references by id.
  private func settle(_ part: PendingChanges) {
    for models in [part.inserted, part.changed] {
      for model in models {
        let storage = model._$storage
        if !storage.isDeleted { storage.settle(self) }
      }
    }
    // Deleted before they were saved: nothing is left of them but what the app holds.
    for model in part.inserted where model._$storage.flags.contains(.gone) { model._$storage.letGoOfLinks() }
    pendingLists = core.stores.count == 1 ? PendingChanges() : pendingLists.without(part)
    if pendingLists.isEmpty { link.arrivals.removeAll() }
    dropPendingEffects()
    weighed.keys = [:]
  }

  /// The object is in the store no more.
  func leave(_ model: any PersistentModel) {
    let storage = model._$storage
    dropPendingEffects()
    noteTouch(of: model)
    storage.flags = .gone
    map.remove(storage.recordID)
    storage.notifyLinked(of: model)
  }

  /// Takes back everything since the last save: set properties and links, inserts, deletes.
  ///
  /// Inserted objects leave the context and keep their values; inserted again, they are linked again.
  public func rollback() {
    let part = pendingLists
    pendingLists = PendingChanges()
    noteNoChanges()
    dropPendingEffects()
    noteTouchOfAll()
    forgetUndo()
    link.arrivals.removeAll()
    weighed.keys = [:]
    for model in part.deleted where model._$storage.flags.contains(.deleted) {
      model._$storage.flags.remove(.deleted)
      model._$storage.notifyLinked(of: model)
    }
    for model in part.changed where !model._$storage.flags.contains(.gone) { model._$storage.restore(model) }
    for model in part.inserted where model._$storage.flags.contains(.inserted) {
      let storage = model._$storage
      map.remove(storage.recordID)
      storage.leaveContext()
    }
    // Links that others made meanwhile were left out where an edit stood against them.
    forgetLoadedMembers()
  }

  /// Runs `block` and saves what it, and the context before it, changed. If `block` throws, nothing is saved
  /// by this call and the changes are still pending.
  ///
  /// - Throws: What `block` and ``save()`` throw.
  public func transaction(block: () throws -> Void) throws {
    try undivided(block)
    try save()
  }

  /// Runs a block whose changes are saved together, also where it lets the main actor take a turn.
  private func undivided(_ block: () throws -> Void) rethrows {
    saving.transactionDepth += 1
    defer {
      saving.transactionDepth -= 1
      resumeAutosave()
    }
    try block()
  }
}

extension ModelStorage {
  /// Whether the insert of this object made a record one of another class than that of its object here.
  fileprivate func changesClass(of existing: any PersistentModel) -> Bool {
    binding?.classWrite != nil && existing._$storage.binding !== binding
  }

  fileprivate func settle(_ context: ModelContext) {
    let isNew = flags.contains(.inserted)
    flags.subtract([.inserted, .changed])
    edits = nil
    guard !slots.isEmpty, let binding, binding.hasRelationships else { return }
    for index in binding.description.relationshipIndexes {
      switch slots[index] {
      case .toOne(let target):
        let isStoredHere = binding.ordinals[index] >= 0
        slots[index] = isStoredHere ? .value(.reference(target._$storage.recordID)) : .empty
      case .toMany(let toMany):
        toMany.added = []
        toMany.removed = []
        toMany.isReordered = false
        toMany.positions.merge(toMany.newPositions) { _, new in new }
        toMany.newPositions = [:]
        context.hasLoadedMembers = true
        // A list of a stored object that was read before others linked is not newer by its own save.
        if isNew { toMany.generation = context.generation(of: index, binding) }
      case .value:
        // The side of a one-to-one relationship that is stored over there reads it from there.
        if binding.ordinals[index] < 0 { slots[index] = .empty }
      case .empty, .composite: break
      }
    }
  }

  fileprivate func restore(_ model: any PersistentModel) {
    flags.remove(.changed)
    guard let edits else { return }
    self.edits = nil
    edits.changed.forEach { index in
      mutate(model, index) {
        if let original = edits.originals[index], case .toMany = original {
          slots[index] = .empty
        } else {
          slots[index] = edits.originals[index] ?? .empty
        }
      }
    }
  }
}

extension PendingChanges {
  func part(_ isIncluded: (ModelStorage) -> Bool) -> PendingChanges {
    let all = distinct
    return PendingChanges(
      inserted: all.inserted.filter { isIncluded($0._$storage) },
      changed: all.changed.filter { isIncluded($0._$storage) },
      deleted: all.deleted.filter { isIncluded($0._$storage) })
  }

  /// The rest of the changes once a part was saved, as far as it still counts.
  func without(_ part: PendingChanges) -> PendingChanges {
    let saved = Set((part.inserted + part.changed + part.deleted).map { ObjectIdentifier($0) })
    let all = distinct
    func rest(_ models: [any PersistentModel]) -> [any PersistentModel] {
      models.filter { !saved.contains(ObjectIdentifier($0)) && !$0._$storage.flags.contains(.gone) }
    }
    return PendingChanges(inserted: rest(all.inserted), changed: rest(all.changed), deleted: rest(all.deleted))
  }
}
