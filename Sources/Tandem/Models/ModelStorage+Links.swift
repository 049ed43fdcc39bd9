import RecordStore

// Both sides of every relationship, kept in step in memory.

/// Whether two objects are one for relationships: a save can make two the objects of one record, with one storage.
func isOne(_ model: any PersistentModel, _ other: any PersistentModel) -> Bool { model._$storage === other._$storage }

extension ModelStorage {
  // MARK: Reading

  /// The object that a to-one refers to, deleted or not.
  func target(_ index: Int) -> (any PersistentModel)? {
    if !slots.isEmpty {
      switch slots[index] {
      case .toOne(let target): return target._$storage.isDeleted ? linkedByOthers(index) ?? target : target
      case .value(.reference(let id)): return stored(id, index)
      case .value: return linkedByOthers(index)
      case .empty, .composite, .toMany: break
      }
    }
    guard let binding, let relationship = binding.relationships[index] else { return nil }
    switch relationship.storage {
    case .reference(let ordinal):
      return withExtendedLifetime(self) { view.reference(at: ordinal) }.flatMap { stored($0, index) }
    case .inverse, .join:
      guard hasRecord || !flags.contains(.inserted) else { return nil }
      return link?.holder(of: index, self)
    }
  }

  /// The object that the record refers to, unless an unsaved change of that object took it away.
  private func stored(_ id: RecordID, _ index: Int) -> (any PersistentModel)? {
    guard let target = link?.resolve(id, binding?.destination(of: index)) else { return nil }
    let other = target._$storage
    guard other.flags.contains(.changed), let inverse = description.inverse(of: index), !inverse.isToMany,
      other.edits?.changed.contains(inverse.index) == true
    else { return target }
    // A nil takes away only the partner that was known here, and that one knows of it.
    guard case .toOne(let partner) = other.slots[inverse.index], !partner._$storage.isDeleted else { return target }
    return partner._$storage === self ? target : nil
  }

  /// The partner that another context linked, of an object that refers to nothing here, or to what is deleted, and
  /// stores no reference. Not where the partner's class has no property for the link: what is set here is all there is.
  private func linkedByOthers(_ index: Int) -> (any PersistentModel)? {
    guard flags.contains(.changed), let binding, binding.ordinals[index] < 0, description.inverse(of: index) != nil
    else { return nil }
    return link?.holder(of: index, self)
  }

  /// The objects of a to-many relationship, deleted ones included.
  func members(_ index: Int) -> [any PersistentModel] {
    let toMany = toMany(index)
    guard let link, let binding, !flags.contains(.inserted), !flags.contains(.gone) else { return toMany.members ?? [] }
    let generation = link.context?.generation(of: index, binding) ?? 0
    if let members = toMany.members, toMany.generation == generation { return members }
    let stored = link.related(index, self)
    link.context?.hasLoadedMembers = true
    // Nearly always: nobody here changed a link of any of these.
    if !toMany.isPending, !toMany.isReordered, !stored.contains(where: { $0._$storage.flags.contains(.changed) }) {
      toMany.members = stored
      toMany.generation = generation
      return stored
    }
    let kept = stored.filter { isStillLinked($0, index, toMany) }
    var present = Set(kept.map { ObjectIdentifier($0._$storage) })
    var members = kept + toMany.added.filter { present.insert(ObjectIdentifier($0._$storage)).inserted }
    if toMany.isReordered, let earlier = toMany.members { members = PendingPositions.merged(earlier, with: members) }
    toMany.members = members
    toMany.generation = generation
    return members
  }

  /// Whether no unsaved change took a stored member away.
  private func isStillLinked(_ member: any PersistentModel, _ index: Int, _ toMany: ToMany) -> Bool {
    let storage = member._$storage
    guard storage.flags.contains(.changed), let edits = storage.edits else {
      return !toMany.removed.contains { isOne($0, member) }
    }
    if let inverse = description.inverse(of: index) {
      if inverse.isToMany { return !toMany.removed.contains { isOne($0, member) } }
      guard edits.changed.contains(inverse.index) else { return true }
      return storage.target(inverse.index)?._$storage === self
    }
    guard let owner = edits.hiddenOwners[hidden(index)] else { return true }
    return owner?._$storage === self
  }

  /// The owner of a member of a relationship by which only one can have it.
  func owner(of member: any PersistentModel, by index: Int) -> (any PersistentModel)? {
    let other = member._$storage
    guard let inverse = description.inverse(of: index) else {
      return other.hiddenOwner(hidden(index))
    }
    return inverse.isToMany ? nil : other.target(inverse.index)
  }

  /// The owner by a to-many relationship without an inverse.
  func hiddenOwner(_ relationship: HiddenRelationship) -> (any PersistentModel)? {
    edits?.hiddenOwners[relationship] ?? link?.hiddenOwner(relationship, self)
  }

  func toMany(_ index: Int) -> ToMany {
    growSlots()
    if case .toMany(let toMany) = slots[index] { return toMany }
    let toMany = ToMany()
    slots[index] = .toMany(toMany)
    return toMany
  }

  func hidden(_ index: Int) -> HiddenRelationship {
    // By the class that declares it: objects of all its subclasses are owners by one and the same field.
    HiddenRelationship(owner: ObjectIdentifier(description.declaring(index).type), index: index)
  }

  // MARK: Setting

  func setTarget(_ index: Int, to new: (any PersistentModel)?, of model: any PersistentModel) {
    assignTarget(index, new, of: model)
    // The one that was known here may have hidden one that others linked since, which the object is without now, too.
    if new == nil, linkedByOthers(index) != nil { setTarget(index, to: nil, of: model) }
  }

  private func assignTarget(_ index: Int, _ new: (any PersistentModel)?, of model: any PersistentModel) {
    linkInitially(model, and: new)
    let old = target(index)
    if let old, let new, isOne(old, new) { return }
    if old == nil, new == nil, !slots.isEmpty, !slots[index].isEmpty { return }
    if let new, refusesLink(to: new) { return }
    context?.dropPendingEffects()
    if flags.contains(.gone) { return write(index, target: new, of: model) }
    let undo = undoContext(new.map { [$0] } ?? []).map {
      let bringsIn = isHomeless || new?._$storage.isHomeless == true
      return $0.beginLinkStep(index, target: new, of: model, bringsIn: bringsIn)
    }
    defer { undo?.end() }
    let inverse = description.inverse(of: index)
    // Asked for before this side is written, which would answer in place of one that is deleted and may come back.
    let displaced = inverse.flatMap { $0.isToMany ? nil : new?._$storage.target($0.index) }
    write(index, target: new, of: model)
    guard let inverse else { return join(model, new) }
    if inverse.isToMany {
      old.map { $0._$storage.dropMember(inverse.index, model, of: $0) }
      new.map { $0._$storage.addMember(inverse.index, model, of: $0) }
    } else {
      old.map { $0._$storage.write(inverse.index, target: nil, of: $0) }
      if let new {
        // One to one: the former owner of the target has it no more.
        if let displaced, !isOne(displaced, model), displaced._$storage.isLinked(index, to: new) {
          displaced._$storage.write(index, target: nil, of: displaced)
        }
        new._$storage.write(inverse.index, target: model, of: new)
      }
    }
    join(model, new)
  }

  /// An object that left may know one that is not linked to it, or is not any more.
  func isLinked(_ index: Int, to other: any PersistentModel) -> Bool {
    guard other._$storage.flags.contains(.gone) else { return true }
    guard description.properties[index].isToMany else { return target(index)?._$storage === other._$storage }
    guard !slots.isEmpty, case .toMany(let toMany) = slots[index] else { return false }
    return toMany.added.contains { isOne($0, other) }
  }

  /// The context that wants to know how to take a link back: the object's own, or that of those that it is linked to.
  private func undoContext(_ others: [any PersistentModel]) -> ModelContext? {
    if let link { return link.undoManager == nil ? nil : link.context }
    return others.lazy.compactMap { $0._$storage.link }.first { $0.undoManager != nil }?.context
  }

  /// Links that initialisers set come before any other link of the same objects.
  private func linkInitially(_ model: any PersistentModel, and other: (any PersistentModel)?) {
    if flags.isOneSided { linkInitialRelationships(of: model) }
    guard let other, other !== model, other._$storage.flags.isOneSided else { return }
    other._$storage.linkInitialRelationships(of: other)
  }

  func setMembers(
    _ index: Int, to new: [any PersistentModel], of model: any PersistentModel, knowsOthers: Bool = false
  ) {
    linkInitially(model, and: nil)
    for member in new where member._$storage.flags.isOneSided { linkInitially(model, and: member) }
    let before = members(index)
    let old = before.filter { !$0._$storage.isDeleted }
    // Most assignments append: what is equal at the front needs no comparison of sets.
    var start = 0
    while start < old.count, start < new.count, isOne(old[start], new[start]) { start += 1 }
    if start == old.count, start == new.count { return }
    if new[start...].contains(where: refusesLink) { return }
    context?.dropPendingEffects()
    if flags.contains(.gone) { return toMany(index).members = new }
    let newRest = Set(new[start...].map { ObjectIdentifier($0._$storage) })
    let leaving = old[start...].filter { !newRest.contains(ObjectIdentifier($0._$storage)) }
    if !knowsOthers, let context, isOutdated(leaving, index) {
      context.takeInOthers()
      return setMembers(index, to: new, of: model, knowsOthers: true)
    }
    let undo = undoContext(new).map {
      let bringsIn = isHomeless || new.contains { $0._$storage.isHomeless }
      return $0.beginLinkStep(index, members: new, of: model, bringsIn: bringsIn)
    }
    defer { undo?.end() }
    if description.properties[index].isOrdered {
      noteChange(of: index, model)
      toMany(index).isReordered = true
    }
    let oldRest = Set(old[start...].map { ObjectIdentifier($0._$storage) })
    let front = start < new.count && start > 0 ? Set(old[..<start].map { ObjectIdentifier($0._$storage) }) : []
    for member in leaving { unlink(index, member, model) }
    var seen = front
    var members = Array(old[..<start])
    for member in new[start...] where seen.insert(ObjectIdentifier(member._$storage)).inserted {
      if !oldRest.contains(ObjectIdentifier(member._$storage)) { establish(index, member, model) }
      members.append(member)
    }
    // A delete may be taken back, and the links of its object with it.
    toMany(index).members = members + before.filter { $0._$storage.flags.contains(.deleted) }
    for member in members[start...] { join(model, member) }
  }

  /// Whether somebody else has one of the members: the list and its members are read at different times.
  private func isOutdated(_ members: [any PersistentModel], _ index: Int) -> Bool {
    guard !members.isEmpty, description.inverse(of: index)?.isToMany != true else { return false }
    return members.contains { owner(of: $0, by: index)?._$storage !== self }
  }

  /// Puts the members into an earlier order, deleted ones among them, whose delete may be taken back.
  func arrange(_ index: Int, as earlier: [any PersistentModel]) {
    let toMany = toMany(index)
    guard description.properties[index].isOrdered, let members = toMany.members,
      members.contains(where: { $0._$storage.flags.contains(.deleted) })
    else { return }
    toMany.members = PendingPositions.merged(earlier, with: members)
  }

  /// Sets up the other side of a new link and notes the change. `members` is the caller's business.
  private func establish(_ index: Int, _ member: any PersistentModel, _ model: any PersistentModel) {
    let other = member._$storage
    noteLink(index, of: model, member, isLinked: true)
    noteChange(of: index, model)
    if let inverse = description.inverse(of: index) {
      if inverse.isToMany {
        other.addMember(inverse.index, model, of: member)
      } else {
        let old = other.target(inverse.index)
        if let old, !isOne(old, model) { old._$storage.dropMember(index, member, of: old) }
        other.write(inverse.index, target: model, of: member)
      }
    } else {
      other.writeHiddenOwner(hidden(index), model, of: member)
    }
  }

  private func unlink(_ index: Int, _ member: any PersistentModel, _ model: any PersistentModel) {
    let other = member._$storage
    noteLink(index, of: model, member, isLinked: false)
    noteChange(of: index, model)
    let inverse = description.inverse(of: index)
    if let inverse, inverse.isToMany { return other.dropMember(inverse.index, model, of: member) }
    guard owner(of: member, by: index)?._$storage === self else { return }
    if let inverse {
      other.write(inverse.index, target: nil, of: member)
    } else {
      other.writeHiddenOwner(hidden(index), nil, of: member)
    }
  }

  /// The other side refers to this object now.
  func addMember(_ index: Int, _ member: any PersistentModel, of model: any PersistentModel) {
    mutate(model, index) {
      let toMany = toMany(index)
      // A member that comes back stands at the end, not where the store has it.
      if description.properties[index].isOrdered, toMany.removed.contains(where: { isOne($0, member) }) {
        toMany.members = members(index).filter { !isOne($0, member) }
        toMany.isReordered = true
      }
      noteLink(index, of: model, member, isLinked: true)
      noteChange(of: index, model)
      if isKnownWhole(toMany) {
        if toMany.members == nil { toMany.members = [] }
        toMany.members?.append(member)
      }
    }
  }

  /// The other side refers to this object no more.
  func dropMember(_ index: Int, _ member: any PersistentModel, of model: any PersistentModel) {
    guard isLinked(index, to: member) else { return }
    mutate(model, index) {
      noteLink(index, of: model, member, isLinked: false)
      noteChange(of: index, model)
      toMany(index).members?.removeAll { isOne($0, member) }
    }
  }

  /// Whether nothing of the relationship lies in the store.
  private func isKnownWhole(_ toMany: ToMany) -> Bool {
    toMany.members != nil || binding == nil || flags.contains(.inserted)
  }

  /// The last word counts, also if it is what the store had when the list was read: others may have changed that since.
  private func noteLink(
    _ index: Int, of model: any PersistentModel, _ member: any PersistentModel, isLinked: Bool
  ) {
    if let link, link.isFollowed { link.arrivals.note(index, of: model, member, isLinked: isLinked) }
    let toMany = toMany(index)
    if isLinked {
      toMany.removed.removeLast(member)
      toMany.added.append(member)
    } else {
      toMany.added.removeLast(member)
      toMany.removed.append(member)
    }
    // Its position is one in another list, or may become it before the object comes back.
    if !toMany.positions.isEmpty { toMany.positions[member._$storage.recordID] = nil }
  }

  /// Sets this side of a to-one alone.
  func write(_ index: Int, target: (any PersistentModel)?, of model: any PersistentModel) {
    mutate(model, index) { assign(index, target.map { .toOne($0) } ?? .value(.null), of: model) }
  }

  private func writeHiddenOwner(
    _ relationship: HiddenRelationship, _ owner: (any PersistentModel)?, of model: any PersistentModel
  ) {
    let edits = edits ?? Edits()
    self.edits = edits
    if let link, link.isFollowed { link.context?.noteUndo(relationship, of: model) }
    if let owner, let old = hiddenOwner(relationship), !isOne(old, owner) {
      old._$storage.dropMember(relationship.index, model, of: old)
    }
    edits.hiddenOwners.updateValue(owner, forKey: relationship)
    noteChange(model)
  }

  // MARK: Joining contexts

  /// Whether an object belongs to another living context than this one. No save could carry such a link, and the next
  /// call of either context that can throw says so.
  private func refusesLink(to other: any PersistentModel) -> Bool {
    guard let link, let otherLink = other._$storage.link, link !== otherLink, let context = link.context,
      let otherContext = otherLink.context
    else { return false }
    let error = SwiftDataError(
      .objectOfAnotherContext,
      "a \(description.name) and a \(other._$storage.description.name) of another context were not linked: "
        + "fetch one of them in the context of the other by its persistentModelID")
    context.note(error)
    otherContext.note(error)
    return true
  }

  /// An object linked to one of a context belongs to the context too. One that left the store brings nothing in.
  private func join(_ model: any PersistentModel, _ other: (any PersistentModel)?) {
    guard let other, !flags.contains(.gone), !other._$storage.flags.contains(.gone) else { return }
    if let context = link?.context {
      if other._$storage.isHomeless { context.insertGraph(other) }
    } else if isHomeless, let context = other._$storage.link?.context {
      context.insertGraph(model)
    }
  }

  /// Tells the other sides of what an initialiser set, when `self` was not whole yet, and of what a rollback left.
  func linkInitialRelationships(of model: any PersistentModel) {
    flags.subtract([.unlinked, .detached])
    // All are emptied first: an object may be linked to itself.
    let initial = description.relationshipIndexes.map { ($0, slots[$0]) }
    for (index, slot) in initial {
      switch slot {
      case .toOne: slots[index] = .value(.null)
      case .toMany: slots[index] = .toMany(ToMany(members: []))
      case .empty, .value, .composite: break
      }
    }
    for (index, slot) in initial {
      switch slot {
      case .toOne(let target): setTarget(index, to: target, of: model)
      case .toMany(let toMany): setMembers(index, to: toMany.members ?? [], of: model)
      case .empty, .value, .composite: break
      }
    }
  }
}

extension [any PersistentModel] {
  fileprivate mutating func removeLast(_ model: any PersistentModel) {
    if let place = lastIndex(where: { isOne($0, model) }) { remove(at: place) }
  }
}
