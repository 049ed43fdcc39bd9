public import Foundation
import RecordStore

// Inserting and deleting. Nothing here reaches the store before the save.

extension ModelContext {
  /// Whether a save would have something to do.
  public var hasChanges: Bool { pendingLists.isLive }
  /// The objects that the next save inserts, in the order in which they came.
  public var insertedModelsArray: [any PersistentModel] { pending.liveInserted }
  /// The objects with changes that the next save writes.
  public var changedModelsArray: [any PersistentModel] { pending.liveChanged }
  /// The objects that the next save deletes.
  public var deletedModelsArray: [any PersistentModel] { pending.liveDeleted }

  /// Makes an object and all that its relationships reach part of the context; the next save writes them.
  ///
  /// The app need not hold the object. Behind a thousand later ones the context keeps the bytes of its record alone, if
  /// nothing else leads to the object, it has no relationships, and its class has no ``Transient()`` property: it
  /// ends, and is made anew for whatever asks for what is pending.
  ///
  /// An object that was deleted here is taken back. An object of another living context stays there, and the next call
  /// here that can throw throws `objectOfAnotherContext`.
  public func insert<T: PersistentModel>(_ model: T) {
    let storage = model._$storage
    if storage.flags.contains(.gone) { bringBack(model, withLinks: true) }
    if isOfAnotherContext(storage) { return }
    if storage.context == nil, !storage.isHomeless {
      return note(
        SwiftDataError(
          .objectOfAnotherContext,
          "the context of this \(storage.description.name) has ended: fetch it here by its persistentModelID"))
    }
    if storage.flags.contains(.deleted) {
      storage.flags.remove(.deleted)
      pendingLists.mayRepeat = true
      dropPendingEffects()
      noteTouch(of: model)
      noteUndo(ofBringing: [model])
      scheduleAutosave()
    } else if storage.isHomeless {
      insertGraph(model)
      // Its initialiser may have linked it to an object of another context, which has brought it in there.
      if storage.link !== link { _ = isOfAnotherContext(storage) }
    }
  }

  /// Whether an object belongs to another context, which the next call that can throw says then.
  private func isOfAnotherContext(_ storage: ModelStorage) -> Bool {
    guard let context = storage.context, context !== self else { return false }
    note(
      SwiftDataError(
        .objectOfAnotherContext,
        "this \(storage.description.name) belongs to another context: fetch it here by its persistentModelID"))
    return true
  }

  /// Makes an object that left the store one that can be inserted.
  func bringBack(_ model: any PersistentModel, withLinks: Bool) {
    model._$storage.becomeNew(withLinks: withLinks)
    pendingLists.mayRepeat = true
    forgetLoadedMembers()
  }

  func insertGraph(_ root: any PersistentModel) {
    // Most objects link to nothing, and an empty array is no memory.
    var open: [any PersistentModel] = []
    var entered: [any PersistentModel] = []
    var next = 0
    let isFollowed = link.isFollowed
    if enter(root, &open), isFollowed { entered.append(root) }
    while next < open.count {
      if enter(open[next], &open), isFollowed { entered.append(open[next]) }
      next += 1
    }
    guard isFollowed else { return }
    noteUndo(ofBringing: entered)
    scheduleAutosave()
  }

  /// Makes one object part of the context, and adds those that its links lead to; false if it was already.
  private func enter(_ model: any PersistentModel, _ open: inout [any PersistentModel]) -> Bool {
    let storage = model._$storage
    if storage.binding != nil, storage.isHomeless { storage.outliveContext() }
    // The other sides first: they may belong to a context, and bring the object in themselves.
    if storage.flags.isOneSided { storage.linkInitialRelationships(of: model) }
    guard storage.binding == nil else { return false }
    let binding: EntityBinding
    do {
      binding = try self.binding(ofNew: storage)
    } catch {
      note(error)
      return false
    }
    storage.binding = binding
    storage.link = link
    storage.flags = .inserted
    map.insert(model, storage.recordID)
    pendingLists.inserted.append(model)
    if pendingLists.inserted.count - pendingLists.packedCount >= 2 * unpackedCount { packInserted() }
    if link.isFollowed { noteTouch(of: model) }
    if weighed.effects != nil { dropPendingEffects() }
    if binding.hasRelationships || storage.edits != nil { storage.forEachLinked { open.append($0) } }
    return true
  }

  /// Objects of one class mostly come together.
  private func binding(ofNew storage: ModelStorage) throws -> EntityBinding {
    if let last = recent.lastInserted, last.description === storage.description { return last }
    let found = try core.binding(of: storage.type)
    recent.lastInserted = found
    return found
  }

  /// Deletes an object at the next save, by the delete rules of its relationships.
  ///
  /// Until then the object is ``PersistentModel/isDeleted`` and left out of relationships; what the rules do to
  /// others shows after the save. An object that was never saved leaves the context at once.
  public func delete<T: PersistentModel>(_ model: T) { remove(model) }

  func remove(_ model: any PersistentModel, withBelongings: Bool = true) {
    let storage = model._$storage
    guard storage.binding != nil, !storage.isDeleted else { return }
    noteUndo(ofDeleting: model)
    if storage.flags.contains(.inserted) {
      forget(model, withBelongings: withBelongings)
    } else {
      storage.flags.insert(.deleted)
      pendingLists.deleted.append(model)
      scheduleAutosave()
    }
    noteTouch(of: model)
    storage.notifyLinked(of: model)
    if pendingLists.leftCount > unpackedCount, 2 * pendingLists.leftCount > pendingLists.inserted.count { dropLeft() }
  }

  /// Lets go of inserted objects that left again, when they are most of a long list: a context may insert and delete
  /// for long before it saves.
  private func dropLeft() {
    // When all is whole again, for their `deinit` may ask the context for others.
    let former = (pending.inserted, weighed.keys)
    pendingLists.dropLeft()
    weighed.keys = [:]
    withExtendedLifetime(former) {}
  }

  /// Takes an object out that was never saved, and by rule of cascade what belongs to it.
  private func forget(_ model: any PersistentModel, withBelongings: Bool) {
    let storage = model._$storage
    dropPendingEffects()
    storage.flags = .gone
    pendingLists.leftCount += 1
    map.remove(storage.recordID)
    guard withBelongings else { return }
    for property in storage.description.properties where property.relationship?.deleteRule == .cascade {
      let belongings =
        property.isToMany ? storage.members(property.index) : [storage.target(property.index)].compactMap { $0 }
      for belonging in belongings { remove(belonging) }
    }
  }

  /// Deletes every object of a class that satisfies a predicate, unsaved ones included, at the next save; by
  /// `includeSubclasses` those of classes that inherit from it too.
  ///
  /// - Throws: what ``fetch(_:)`` throws; then nothing more is to be deleted than before.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    if try deleteAtOnce(model, where: predicate, includeSubclasses: includeSubclasses) { return }
    let binding = try core.binding(of: T.self)
    for model in try fetch(FetchDescriptor(predicate: predicate))
    where includeSubclasses || model._$storage.binding === binding {
      remove(model)
    }
  }
}

extension ModelStorage {
  /// Whether the object may enter a context: no record is its own, and no context inserts it. A context that has ended
  /// does not.
  var isHomeless: Bool { binding == nil || flags.contains(.inserted) && link?.context == nil }

  /// Takes a new object out of its context, with its values and its links, of which the other sides know no more.
  func leaveContext() {
    growSlots()
    flags = .detached
    edits = nil
    binding = nil
    link = nil
  }

  /// A new object whose context has ended can be inserted again. Its links ended with the context.
  fileprivate func outliveContext() {
    leaveContext()
    for index in description.relationshipIndexes {
      guard case .empty = slots[index] else { continue }
      slots[index] = description.properties[index].isToMany ? .toMany(ToMany(members: [])) : .value(.null)
    }
  }

  /// An object that left the store starts again, with the values it had and a new identity.
  fileprivate func becomeNew(withLinks: Bool) {
    let stillLinked = withLinks ? membersThatReferHere() : [:]
    leaveLoadedMembers()
    let properties = description.properties
    var values = Slot.empty(properties.count)
    for property in properties {
      switch property.kind {
      case .attribute:
        values[property.index] =
          slots.isEmpty || slots[property.index].isEmpty
          ? .value(fieldValue(property.index)) : slots[property.index]
      case .toOne:
        let living = withLinks ? target(property.index).flatMap { $0._$storage.isDeleted ? nil : $0 } : nil
        values[property.index] = living.map { .toOne($0) } ?? .value(.null)
      case .toMany: values[property.index] = .toMany(ToMany(members: stillLinked[property.index] ?? []))
      case .unsupported: break
      }
    }
    slots = values
    forgetRecord()
    binding = nil
    link = nil
    edits = nil
    flags = .unlinked
    recordID = RecordIDGenerator.shared.next()
  }

  /// By to-many relationship, the living members that hold this object as their one owner, and show it once it is back.
  private func membersThatReferHere() -> [Int: [any PersistentModel]] {
    var found: [Int: [any PersistentModel]] = [:]
    for index in description.relationshipIndexes where description.properties[index].isToMany {
      found[index] = members(index).filter { !$0._$storage.isDeleted && owner(of: $0, by: index)?._$storage === self }
    }
    return found
  }

  /// Takes the object out of the lists of others, which it enters anew.
  private func leaveLoadedMembers() {
    for index in description.relationshipIndexes {
      guard let inverse = description.inverse(of: index), inverse.isToMany else { continue }
      let isToMany = description.properties[index].isToMany
      for other in isToMany ? members(index) : [target(index)].compactMap({ $0 }) {
        other._$storage.toMany(inverse.index).forget(self)
      }
    }
    for (relationship, owner) in edits?.hiddenOwners ?? [:] {
      owner?._$storage.toMany(relationship.index).forget(self)
    }
  }

  /// The objects that unsaved links lead to.
  func forEachLinked(_ body: (any PersistentModel) -> Void) {
    for index in description.relationshipIndexes where !slots.isEmpty {
      switch slots[index] {
      case .toOne(let target): body(target)
      case .toMany(let toMany): toMany.members?.forEach(body)
      case .empty, .value, .composite: break
      }
    }
    for owner in edits?.owners ?? [] { body(owner) }
  }

  /// Whether ``letGoOfLinks()`` would let go of anything.
  var keepsOthers: Bool {
    if edits.map({ !$0.hiddenOwners.isEmpty }) ?? false { return true }
    return !slots.isEmpty
      && description.relationshipIndexes.contains { index in
        switch slots[index] {
        case .toOne: true
        case .toMany(let toMany): toMany.members?.isEmpty == false || toMany.isPending
        case .empty, .value, .composite: false
        }
      }
  }

  /// Tells observers of loaded objects on the other sides that this one left or came back.
  func notifyLinked(of model: any PersistentModel) {
    let description = description
    for index in description.relationshipIndexes {
      if !slots.isEmpty, case .toMany(let toMany) = slots[index] {
        guard let members = toMany.members else { continue }
        for member in members { notify(member, of: index, description) }
      } else if let target = loadedTarget(index) {
        notify(target, of: index, description)
      }
    }
  }

  /// Most objects have no observers, and the other side need not be looked for.
  private func notify(_ other: any PersistentModel, of index: Int, _ description: ModelDescription) {
    let storage = other._$storage
    guard storage.isObserved, let inverse = description.inverse(of: index) else { return }
    storage.mutate(other, inverse.index) {}
  }

  /// The target of a to-one, if finding it needs no read.
  private func loadedTarget(_ index: Int) -> (any PersistentModel)? {
    if slots.isEmpty {
      // Nothing is loaded, and what the other side stores is not here.
      if let places, places[index].ordinal < 0 { return nil }
    } else if case .toOne(let target) = slots[index] {
      return target
    }
    guard case .reference(let id) = fieldValue(index) else { return nil }
    return context?.registered(id)
  }

  /// Forgets loaded members that can be read again, so that they do not keep each other alive.
  func dropLoadedMembers() {
    guard !slots.isEmpty, flags.isDisjoint(with: [.inserted, .changed, .deleted, .gone]) else { return }
    for index in description.relationshipIndexes {
      if case .toMany = slots[index] { slots[index] = .empty }
    }
  }

  /// Lets go of the objects on the other sides, as the context goes, or the object was deleted before it was saved.
  /// Links that are stored can be read again. Unsaved ones end, but for a target that there must be.
  func letGoOfLinks() {
    // Those of a packed object, too.
    edits?.hiddenOwners = [:]
    guard !slots.isEmpty else { return }
    for index in description.relationshipIndexes {
      edits?.originals[index] = nil
      switch slots[index] {
      case .toMany: slots[index] = .empty
      case .toOne where description.properties[index].isOptional: slots[index] = .empty
      case .toOne, .empty, .value, .composite: break
      }
    }
  }
}
