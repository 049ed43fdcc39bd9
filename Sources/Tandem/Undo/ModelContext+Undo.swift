#if canImport(Darwin)
  public import Foundation
#else
  import Foundation
#endif

// How changes of objects are taken back: each registers its opposite, which registers the change again for redo.

extension ModelContext {
  /// Takes inserts, deletes and set properties of this context's objects back; nil (the default): nobody does.
  ///
  /// Undoing is a change like any other: it is saved by the next save, also when what it takes back was saved.
  /// A deleted
  /// object whose delete was saved comes back as a new one with its values and relationships, and with it what
  /// a rule of
  /// cascade took along; references to it without an inverse stay nil. Saves of others are nobody's to undo.
  /// ``rollback()`` forgets the steps of the context.
  public var undoManager: UndoManager? {
    get { link.undoManager }
    set {
      link.undoManager = newValue
      // Its steps may concern any object.
      if newValue != nil { makeUnheldAgain() }
    }
  }

  /// The changes until now are undone together.
  func endUndoEvent() {
    #if !canImport(Darwin)
      link.undoManager?.endEvent()
    #endif
  }

  func forgetUndo() { link.undoManager?.removeAllActions(withTarget: self) }

  private func register(_ undo: @escaping (ModelContext) -> Void) {
    link.undoManager?.registerUndo(withTarget: self, handler: undo)
  }

  /// An attribute or one side of a relationship is about to be set.
  func noteUndo(_ index: Int, of model: any PersistentModel) {
    guard link.undoManager != nil else { return }
    let property = model._$storage.description.properties[index]
    if case .attribute = property.kind {
      let opposite = opposite(index, attributeOf: model)
      opposite.register()
      noteFormer(.own(index), of: model, opposite)
    } else if !property.isToMany {
      noteOneSide(index, of: model)
    }
  }

  /// An object is about to get another owner by a relationship without an inverse.
  func noteUndo(_ relationship: ModelStorage.HiddenRelationship, of model: any PersistentModel) {
    if link.undoManager != nil { noteFormer(.hidden(relationship), of: model, opposite(relationship, of: model)) }
  }

  private func noteOneSide(_ index: Int, of model: any PersistentModel) {
    noteFormer(.own(index), of: model, opposite(index, oneSideOf: model))
  }

  /// Keeps for inserts of the next save what a property has, where it changes for the first time since the last one.
  private func noteFormer(
    _ property: ArrivalLog.Property, of model: any PersistentModel, _ opposite: @autoclosure () -> Opposite
  ) {
    guard link.arrivals.isNews(property, of: model) else { return }
    link.arrivals.note(opposite(), property, of: model)
  }

  /// How a property is given back what it has now.
  struct Opposite {
    fileprivate let context: ModelContext
    let undo: () -> Void
    func register() { context.register { [undo] _ in undo() } }
  }

  /// A link that is being set.
  struct LinkStep {
    fileprivate let opposite: Opposite
    fileprivate let bringsIn: Bool

    /// Behind the insert that the link brings about: so links are undone before it, and redone after it.
    func end() {
      if bringsIn { opposite.context.link.arrivals.endStep() }
      opposite.register()
    }
  }

  /// A to-one relationship is about to be set.
  func beginLinkStep(
    _ index: Int, target new: (any PersistentModel)?, of model: any PersistentModel, bringsIn: Bool
  ) -> LinkStep {
    let opposite = opposite(index, target: new, of: model)
    if bringsIn { link.arrivals.beginStep() }
    // A one-to-one link is stored on one side, and the other side is read from it: both before either is written.
    if let inverse = model._$storage.description.inverse(of: index), !inverse.isToMany {
      noteOneSide(index, of: model)
      for other in [model._$storage.target(index), new].compactMap(\.self) {
        other._$storage.target(inverse.index).map { noteOneSide(index, of: $0) }
        noteOneSide(inverse.index, of: other)
      }
    }
    return LinkStep(opposite: opposite, bringsIn: bringsIn)
  }

  /// A to-many relationship is about to be set.
  func beginLinkStep(
    _ index: Int, members new: [any PersistentModel], of model: any PersistentModel, bringsIn: Bool
  ) -> LinkStep {
    let opposite = opposite(index, members: new, of: model)
    if bringsIn { link.arrivals.beginStep() }
    return LinkStep(opposite: opposite, bringsIn: bringsIn)
  }

  func opposite(_ index: Int, attributeOf model: any PersistentModel) -> Opposite {
    let old = model._$storage.presentValue(index)
    let stored = model._$storage.recordValue(index)
    return Opposite(context: self) {
      // Also of a deleted one, whose delete may be undone next.
      let storage = model._$storage
      // A large value that has not come can only be left where it is named. Where a save has put another one in its
      // place, that one stays: nothing would be worse than either.
      let slot = old.map { ModelStorage.Slot.value($0) } ?? (storage.recordValue(index) == stored ? .empty : nil)
      guard let slot else { return }
      storage.mutate(model, index) { storage.assign(index, slot, of: model) }
    }
  }

  /// A to-one relationship is about to be set.
  func opposite(_ index: Int, target new: (any PersistentModel)?, of model: any PersistentModel) -> Opposite {
    let storage = model._$storage
    let old = Self.known(storage.target(index))
    // One to one: the former owner of the target loses it.
    let inverse = storage.description.inverse(of: index).flatMap { $0.isToMany ? nil : $0.index }
    let displaced = new.flatMap { new in
      inverse.flatMap { Self.known(new._$storage.target($0)) }.flatMap { owner in
        owner._$storage.isLinked(index, to: new) ? owner : nil
      }
    }
    let place = old.flatMap { Self.orderedPlace(index, of: model, in: $0) }
    // An object that enters by the link and cannot be without it goes with it.
    let isInitial = storage.isHomeless && !storage.description.properties[index].isOptional
    return Opposite(context: self) {
      if !isInitial { Self.set(index, of: model, to: old) }
      if let old, let place { Self.set(place.index, of: old, to: place.members) }
      if let displaced, !isOne(displaced, model) { Self.set(index, of: displaced, to: new) }
    }
  }

  /// One side of a to-one relationship is about to be set, by whichever side the link is changed.
  func opposite(_ index: Int, oneSideOf model: any PersistentModel) -> Opposite {
    let old = Self.known(model._$storage.target(index))
    let place = old.flatMap { Self.orderedPlace(index, of: model, in: $0) }
    return Opposite(context: self) {
      Self.set(index, of: model, to: old)
      guard let old, let place else { return }
      // Others may have joined the list, and left it.
      let present = Self.living(place.index, of: old)
      let here = Set(present.map { ObjectIdentifier($0._$storage) })
      let known = Set(place.members.map { ObjectIdentifier($0._$storage) })
      let ordered = place.members.filter { here.contains(ObjectIdentifier($0._$storage)) }
      let others = present.filter { !known.contains(ObjectIdentifier($0._$storage)) }
      let rest = present.filter { !isOne($0, model) }
      Self.set(place.index, of: old, to: PendingPositions.merged(rest, with: ordered + others))
    }
  }

  /// The owner of an object by a relationship without an inverse is about to be another one.
  func opposite(_ relationship: ModelStorage.HiddenRelationship, of model: any PersistentModel) -> Opposite {
    let old = model._$storage.hiddenOwner(relationship)
    return Opposite(context: self) {
      let present = model._$storage.hiddenOwner(relationship)
      if let old, let present, isOne(old, present) { return }
      for owner in [present, old] {
        guard let owner else { continue }
        let others = Self.living(relationship.index, of: owner).filter { !isOne($0, model) }
        Self.set(relationship.index, of: owner, to: others + (old.map { isOne($0, owner) } == true ? [model] : []))
      }
    }
  }

  /// A to-many relationship is about to be set.
  func opposite(_ index: Int, members new: [any PersistentModel], of model: any PersistentModel) -> Opposite {
    let storage = model._$storage
    let old = storage.members(index).filter { !$0._$storage.isDeleted && $0._$storage.binding != nil }
    let inverse = storage.description.inverse(of: index)
    let kept = Set(old.map { ObjectIdentifier($0._$storage) })
    let moved = new.compactMap { member -> (any PersistentModel, any PersistentModel, Place?)? in
      guard !kept.contains(ObjectIdentifier(member._$storage)),
        let owner = Self.known(storage.owner(of: member, by: index))
      else { return nil }
      guard let inverse else { return (member, owner, (index, Self.living(index, of: owner))) }
      return (member, owner, Self.orderedPlace(inverse.index, of: member, in: owner))
    }
    return Opposite(context: self) {
      Self.set(index, of: model, to: old)
      for (member, owner, place) in moved {
        if let inverse { Self.set(inverse.index, of: member, to: owner) }
        if let place { Self.set(place.index, of: owner, to: place.members) }
      }
    }
  }

  /// A to-many relationship is about to be joined by others, where it had `former` before.
  func opposite(
    _ index: Int, joinedBy new: [any PersistentModel], _ former: [any PersistentModel], of model: any PersistentModel
  ) -> Opposite {
    let storage = model._$storage
    return Opposite(context: self) {
      let known = Set((former + new).map { ObjectIdentifier($0._$storage) })
      let present = Self.living(index, of: model)
      let others = present.filter { !known.contains(ObjectIdentifier($0._$storage)) }
      let members = former.filter { !$0._$storage.isDeleted } + others
      let isOrdered = storage.description.properties[index].isOrdered
      Self.set(index, of: model, to: isOrdered ? PendingPositions.merged(present, with: members) : members)
    }
  }

  /// An object in no context had no part in the change, and does not enter by its undo.
  private static func known(_ model: (any PersistentModel)?) -> (any PersistentModel)? {
    model?._$storage.binding == nil ? nil : model
  }

  private typealias Place = (index: Int, members: [any PersistentModel])

  /// Where an object stands in the ordered list of its owner.
  private static func orderedPlace(
    _ index: Int, of model: any PersistentModel, in owner: any PersistentModel
  ) -> Place? {
    guard let inverse = model._$storage.description.inverse(of: index), inverse.isToMany else { return nil }
    let storage = owner._$storage
    guard storage.description.properties[inverse.index].isOrdered else { return nil }
    return (inverse.index, storage.members(inverse.index))
  }

  private static func living(_ index: Int, of model: any PersistentModel) -> [any PersistentModel] {
    model._$storage.members(index).filter { !$0._$storage.isDeleted }
  }

  private static func set(_ index: Int, of model: any PersistentModel, to target: (any PersistentModel)?) {
    let storage = model._$storage
    // A delete that is not saved may be taken back next. If it is, objects find each other by the other side.
    guard !storage.flags.contains(.gone) else { return }
    let hasInverse = storage.description.inverse(of: index) != nil
    let target = target.flatMap { hasInverse && $0._$storage.flags.contains(.gone) ? nil : $0 }
    storage.mutate(model, index) { storage.setTarget(index, to: target, of: model) }
  }

  private static func set(_ index: Int, of model: any PersistentModel, to members: [any PersistentModel]) {
    let storage = model._$storage
    guard !storage.flags.contains(.gone) else { return }
    // The array keeps the deleted objects that it has.
    let kept = storage.members(index).filter { $0._$storage.isDeleted }
    let others = members.filter { member in
      !member._$storage.flags.contains(.gone) && !kept.contains { isOne($0, member) }
    }
    storage.mutate(model, index) {
      storage.setMembers(index, to: others, of: model)
      storage.arrange(index, as: members)
    }
  }

  /// Objects were inserted together, or deletes were taken back.
  func noteUndo(ofBringing models: [any PersistentModel]) {
    guard let manager = link.undoManager, manager.isUndoRegistrationEnabled, !models.isEmpty else { return }
    let arrival = link.arrivals.add(models)
    register { $0.takeOut(arrival) }
  }

  /// Takes objects out, so that they come back together and with the links between them. A record that was there before
  /// gets back what it had.
  private func takeOut(_ arrival: Arrival) {
    let living = arrival.models.filter { !$0._$storage.isDeleted }
    for model in living { arrival.replaced[ObjectIdentifier(model)]?.forEach { $0.undo() } }
    let new = living.filter { arrival.replaced[ObjectIdentifier($0)] == nil }
    guard !new.isEmpty else { return }
    let removal = Removal(of: new)
    register { removal.undo(in: $0) }
    // Objects that they took in by a rule of cascade were there before.
    unregistered { for model in new { remove(model, withBelongings: false) } }
  }

  /// An object is about to be deleted.
  func noteUndo(ofDeleting model: any PersistentModel) {
    guard let manager = link.undoManager, manager.isUndoRegistrationEnabled else { return }
    let removal = Removal(of: [model])
    register { removal.undo(in: $0) }
  }

  private func unregistered(_ body: () -> Void) {
    link.undoManager?.disableUndoRegistration()
    body()
    link.undoManager?.enableUndoRegistration()
  }

  /// The objects that a delete takes away, their relationships, and those that go with them.
  private struct Removal {
    private var models: [any PersistentModel] = []
    private var targets: [(any PersistentModel, Int, any PersistentModel)] = []
    private var members: [(any PersistentModel, Int, [any PersistentModel])] = []
    /// By relationships without an inverse that are not saved.
    private var owners: [(any PersistentModel, Int, any PersistentModel)] = []

    init(of removed: [any PersistentModel]) {
      models = removed
      var seen = Set(removed.map { ObjectIdentifier($0._$storage) })
      var next = 0
      while next < models.count {
        add(models[next], &seen)
        next += 1
      }
    }

    private mutating func add(_ model: any PersistentModel, _ seen: inout Set<ObjectIdentifier>) {
      let storage = model._$storage
      for (relationship, owner) in storage.edits?.hiddenOwners ?? [:] {
        if let owner { owners.append((owner, relationship.index, model)) }
      }
      for property in storage.description.properties where property.destination != nil {
        var others: [any PersistentModel] = []
        if property.isToMany {
          others = storage.members(property.index).filter { !$0._$storage.flags.contains(.gone) }
          members.append((model, property.index, others))
        } else if let target = storage.target(property.index), isKept(target, property.index, of: storage) {
          others = [target]
          targets.append((model, property.index, target))
          if let place = ModelContext.orderedPlace(property.index, of: model, in: target) {
            members.append((target, place.index, place.members))
          }
        }
        guard property.relationship?.deleteRule == .cascade else { continue }
        // Objects that were deleted before are not this delete's to bring back.
        for other in others where !other._$storage.isDeleted && seen.insert(ObjectIdentifier(other._$storage)).inserted
        {
          models.append(other)
        }
      }
    }

    /// A target that left may come back by the undo that is next, and then nobody else knows of a link without an
    /// inverse.
    private func isKept(_ target: any PersistentModel, _ index: Int, of storage: ModelStorage) -> Bool {
      !target._$storage.flags.contains(.gone) || storage.description.inverse(of: index) == nil
    }

    func undo(in context: ModelContext) {
      let missing = models.filter { $0._$storage.isDeleted }
      forgetLinksOfLeft()
      context.unregistered { for model in missing { context.restore(model) } }
      context.noteUndo(ofBringing: missing)
      for (model, index, target) in targets { ModelContext.set(index, of: model, to: target) }
      for (model, index, others) in members { link(model, index, others) }
      for (owner, index, model) in owners {
        let present = ModelContext.living(index, of: owner).filter { !isOne($0, model) }
        ModelContext.set(index, of: owner, to: present + [model])
      }
    }

    /// An object that left knows its owners again, whatever it was linked to since.
    private func forgetLinksOfLeft() {
      for (model, index, target) in targets where model._$storage.flags.contains(.gone) {
        model._$storage.setTarget(index, to: target, of: model)
      }
      for (model, index, others) in members where model._$storage.flags.contains(.gone) {
        model._$storage.setMembers(index, to: others, of: model)
      }
    }

    /// In their order, and behind them what came meanwhile.
    private func link(_ model: any PersistentModel, _ index: Int, _ others: [any PersistentModel]) {
      let present = ModelContext.living(index, of: model)
      let known = Set(others.map { ObjectIdentifier($0._$storage) })
      ModelContext.set(
        index, of: model, to: others + present.filter { !known.contains(ObjectIdentifier($0._$storage)) })
    }
  }

  private func restore(_ model: any PersistentModel) {
    // Whatever it was linked to since it left: its links are set as they were.
    if model._$storage.flags.contains(.gone) { bringBack(model, withLinks: false) }
    func opened<M: PersistentModel>(_ model: M) { insert(model) }
    opened(model)
  }
}
