import RecordStore

// Saves of others, taken into the objects here.

extension ModelContext {
  /// Takes in what other contexts, other processes and merges saved since the last look.
  ///
  /// The main context does this by itself after each commit; other contexts at fetches and saves.
  public func processPendingChanges() {
    endUndoEvent()
    takeInOthers()
  }

  func takeInOthers() {
    for store in core.stores {
      do {
        try catchUp(store)
      } catch {
        note(error)
      }
    }
  }

  /// Brings the objects to the newest state.
  func catchUp(_ store: StoreBinding) throws { _ = try read(store) { try catchUp(store, $0) } }

  /// Brings the objects to a snapshot, or beyond it: then an observer has saved meanwhile, and this is true. One
  /// comparison if nothing happened since.
  func catchUp(_ store: StoreBinding, _ snapshot: borrowing StoreSnapshot) throws -> Bool {
    // An observer that hears of a change may fetch. It would take in the same changes, and hear of them, without end.
    if core.looksBack || positions[store.index].isTakingIn { return false }
    let commit = snapshot.commitID
    if let commit, positions[store.index].compared == commit { return false }
    let hasSaved = try takeIn(store, snapshot)
    positions[store.index].compared = commit
    // Objects have taken what the snapshot has since, which is older.
    if hasSaved { try catchUp(store) }
    return hasSaved
  }

  /// Whether an observer has saved in the middle of it.
  private func takeIn(_ store: StoreBinding, _ snapshot: borrowing StoreSnapshot) throws -> Bool {
    let last = try snapshot.lastTransactionNumber
    let known = positions[store.index].processed
    guard last != known else { return false }
    positions[store.index].isTakingIn = true
    defer {
      positions[store.index].isTakingIn = false
      positions[store.index].processed = last
      positions[store.index].own = []
    }
    try takeIn(from: known, to: last, store, snapshot)
    return positions[store.index].own.contains { $0 > last }
  }

  private func takeIn(
    from known: UInt64?, to last: UInt64, _ store: StoreBinding, _ snapshot: borrowing StoreSnapshot
  ) throws {
    guard let known, map.count > 0 || link.isWatched else { return }
    // A smaller number: the store was erased.
    if last < known { return try refreshAll(store, snapshot) }
    do {
      try takeIn(changesAfter: known, store, snapshot)
    } catch let error as StoreError where error.code == .historyTokenExpired {
      try refreshAll(store, snapshot)
    }
  }

  /// The changes of others, one at a time: there may be a million of them, and few are of objects that are here. Throws
  /// `historyTokenExpired`, with no object touched, if history does not reach back that far.
  private func takeIn(
    changesAfter number: UInt64, _ store: StoreBinding, _ snapshot: borrowing StoreSnapshot
  ) throws {
    var linked: Set<EntityNumber> = []
    var touches = TouchNotes(self, store)
    dropPendingEffects()
    try snapshot.forEachChange(after: number, except: positions[store.index].own) { change in
      if change.movesLinks(in: snapshot.catalogue) { linked.insert(change.entity) }
      touches.note(change)
      guard let model = map[change.id] else { return }
      try refresh(model, snapshot, fields: change.kind == .update ? change.fields : nil)
    }
    for entity in linked { positions[store.index].linkGenerations[entity, default: 0] += 1 }
    notifyLoadedLists(store, linked)
  }

  private func refreshAll(_ store: StoreBinding, _ snapshot: borrowing StoreSnapshot) throws {
    var models: [any PersistentModel] = []
    dropPendingEffects()
    noteTouchOfAll()
    map.forEach { if $0._$storage.binding?.store === store { models.append($0) } }
    for model in models { try refresh(model, snapshot, fields: nil) }
    let all = Set(snapshot.catalogue.entities.map(\.number))
    for entity in all { positions[store.index].linkGenerations[entity, default: 0] += 1 }
    notifyLoadedLists(store, all)
  }

  /// Reads a record anew. Properties set here and not saved stay as they are.
  private func refresh(_ model: any PersistentModel, _ snapshot: borrowing StoreSnapshot, fields: [Int]?) throws {
    let storage = model._$storage
    guard let binding = storage.binding, !storage.flags.contains(.inserted) else { return }
    guard let row = try snapshot.row(storage.recordID, of: binding.entity.number) else { return leave(model) }
    let current = binding.binding(of: row.view)
    guard current === binding else { return try change(model, to: row, current) }
    storage.take(try row.image(), fields: fields, model)
  }

  /// The record is of another class now: a unique value made it one with an object of that class. An object of a class
  /// above it shows the values of the new object from now on, with what was set here and not saved; any other leaves. A
  /// delete stays one.
  private func change(_ model: any PersistentModel, to row: QueryRow, _ binding: EntityBinding) throws {
    let old = model._$storage
    let (shows, flags) = (old.binding.map { binding.isKind(of: $0) } ?? false, old.flags)
    let current = try make(row, binding)
    // Lists that were read have the former object, and look-ups by unsaved values know it.
    forgetLoadedMembers()
    weighed.keys = [:]
    pendingLists.replace(model, by: current, keepsChanges: shows)
    if flags.contains(.deleted) { current._$storage.flags.insert(.deleted) }
    guard shows else { return }
    if flags.contains(.changed) { current._$storage.takeEdits(of: old) }
    share(current._$storage, with: model)
  }

  /// Tells observers of to-many relationships whose links may have changed. A pass over all objects, where a class of
  /// the store has such a relationship.
  private func notifyLoadedLists(_ store: StoreBinding, _ linked: Set<EntityNumber>) {
    guard !linked.isEmpty else { return }
    var lists: [ObjectIdentifier: [Int]] = [:]
    for binding in core.bindings(in: store.index) {
      let moved = binding.listIndexes(linkedIn: linked)
      if !moved.isEmpty { lists[ObjectIdentifier(binding)] = moved }
    }
    guard !lists.isEmpty else { return }
    map.forEach { model in
      let storage = model._$storage
      guard storage.isObserved, let binding = storage.binding else { return }
      for index in lists[ObjectIdentifier(binding)] ?? [] { storage.mutate(model, index) {} }
    }
  }

  // MARK: After a save of this context

  /// The transaction is this context's own; its objects know its values already.
  func noteOwn(_ number: UInt64, in store: Int) {
    guard number > 0 else { return }
    if positions[store].processed.map({ number == $0 + 1 }) ?? true {
      positions[store].processed = number
    } else {
      positions[store].own.insert(number)
    }
  }

  /// Takes in what the save did beyond what it was asked: the effects of delete rules and of uniqueness.
  func refresh(after result: SaveResult, _ store: StoreBinding, written: Set<RecordID>) throws {
    if result.isPlain { return leaveDeleted(result, store) }
    let existing = Set(result.remapped.values)
    let effects = result.changes.filter { change in
      switch change.kind {
      case .insert: holdsPartner(change.id)
      case .update:
        // Also what was written: its partner may have been given to another object.
        !written.contains(change.id) || existing.contains(change.id) || setsReference(change)
      case .delete: true
      }
    }
    var touches = TouchNotes(self, store)
    for change in effects { touches.note(change) }
    // A link that was written and lost in one save is no change of the record.
    let rivals = written.filter { holdsPartner($0) }.subtracting(effects.lazy.map(\.id))
    let touched = effects.compactMap { map[$0.id] } + existing.union(rivals).compactMap { map[$0] }
    if !existing.isEmpty { forgetLoadedMembers() }
    guard !touched.isEmpty else { return }
    try read(store) { snapshot in
      for model in touched { try refresh(model, snapshot, fields: nil) }
    }
  }
}

extension ModelContext {
  /// A plain save with deletes deletes nothing but what it names, so nothing need be read.
  private func leaveDeleted(_ result: SaveResult, _ store: StoreBinding) {
    guard map.count > 0 || link.isWatched else { return }
    var touches = TouchNotes(self, store)
    for index in result.changes.indices where result.changes[index].kind == .delete {
      touches.note(result.changes[index])
      if let model = map[result.changes[index].id] { leave(model) }
    }
  }

  /// Whether an object refers to one that can have no other partner: another one of the same save may have got it.
  private func holdsPartner(_ id: RecordID) -> Bool {
    guard let storage = map[id]?._$storage, let binding = storage.binding else { return false }
    return storage.description.relationshipIndexes.contains { index in
      binding.ordinals[index] >= 0 && storage.description.inverse(of: index).map { !$0.isToMany } == true
    }
  }

  private func setsReference(_ change: StoreChange) -> Bool {
    guard let fields = map[change.id]?._$storage.binding?.entity.fields else { return false }
    return change.fields.contains { fields[$0].type == .reference }
  }
}

extension ModelStorage {
  /// Takes what was set and not saved in an object of a class above, which numbers its properties alike.
  fileprivate func takeEdits(of other: ModelStorage) {
    edits = other.edits
    edits?.originals = [:]
    flags.insert(.changed)
    growSlots()
    edits?.changed.forEach { slots[$0] = other.slots[$0] }
  }

  /// Takes a record's new bytes; what was set here and not saved stays.
  fileprivate func take(_ image: RecordImage, fields: [Int]?, _ model: any PersistentModel) {
    if isObserved, let binding {
      for (index, ordinal) in binding.ordinals.enumerated() where ordinal >= 0 {
        // `nil` says that nobody knows which fields changed.
        if fields?.contains(ordinal) ?? true { mutate(model, index) {} }
      }
    }
    take(image)
    // The former value of a property that no record has is here alone.
    if let edits { edits.originals = edits.originals.filter { !description.properties[$0.key].isStored } }
    for index in slots.indices where edits?.changed.contains(index) != true {
      if case .toMany = slots[index] { continue }
      guard description.properties[index].isStored else { continue }
      slots[index] = .empty
    }
  }
}

extension StoreChange {
  /// Whether the change adds, takes or moves links of other records: not if only attributes were set.
  fileprivate func movesLinks(in catalogue: Catalogue) -> Bool {
    guard kind == .update else { return true }
    let all = catalogue.entities[entity].fields
    return fields.contains { all[$0].type == .reference || OrderField.isPosition(all[$0]) }
  }
}

extension EntityBinding {
  /// The to-many relationships whose links lie in these entities.
  fileprivate func listIndexes(linkedIn linked: Set<EntityNumber>) -> [Int] {
    description.relationshipIndexes.filter { index in
      switch relationships[index]?.storage {
      case .inverse(let entity, _), .join(let entity, _, _): linked.contains(entity)
      default: false
      }
    }
  }
}
