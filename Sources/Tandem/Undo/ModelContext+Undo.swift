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
  /// cascade took along; references to it without an inverse stay nil. What others saved is nobody's to undo.
  /// ``rollback()`` forgets the steps of the context.
  public var undoManager: UndoManager? {
    get { link.undoManager }
    set { link.undoManager = newValue }
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

  /// An attribute is about to be set.
  func noteUndo(_ index: Int, of model: any PersistentModel) {
    let storage = model._$storage
    guard link.undoManager != nil, case .attribute = storage.description.properties[index].kind else { return }
    let old = storage.fieldValue(index)
    register { _ in
      let storage = model._$storage
      guard !storage.isDeleted else { return }
      storage.mutate(model, index) { storage.assign(index, .value(old), of: model) }
    }
  }

  /// A to-one relationship is about to be set.
  func noteUndo(_ index: Int, target new: (any PersistentModel)?, of model: any PersistentModel) {
    let storage = model._$storage
    let old = storage.target(index)
    // One to one: whoever had the target loses it.
    let inverse = storage.description.inverse(of: index).flatMap { $0.isToMany ? nil : $0.index }
    let displaced = inverse.flatMap { new?._$storage.target($0) }
    register { _ in
      Self.set(index, of: model, to: old)
      if let displaced, displaced !== model { Self.set(index, of: displaced, to: new) }
    }
  }

  /// A to-many relationship is about to be set.
  func noteUndo(_ index: Int, members new: [any PersistentModel], of model: any PersistentModel) {
    let storage = model._$storage
    let old = storage.members(index).filter { !$0._$storage.isDeleted }
    let inverse = storage.description.inverse(of: index).flatMap { $0.isToMany ? nil : $0.index }
    let kept = Set(old.map { ObjectIdentifier($0) })
    let moved = new.compactMap { member -> (any PersistentModel, any PersistentModel)? in
      guard let inverse, !kept.contains(ObjectIdentifier(member)) else { return nil }
      return member._$storage.target(inverse).map { (member, $0) }
    }
    register { _ in
      Self.set(index, of: model, to: old)
      for (member, owner) in moved { if let inverse { Self.set(inverse, of: member, to: owner) } }
    }
  }

  private static func set(_ index: Int, of model: any PersistentModel, to target: (any PersistentModel)?) {
    let storage = model._$storage
    guard !storage.isDeleted else { return }
    let target = target.flatMap { $0._$storage.isDeleted ? nil : $0 }
    storage.mutate(model, index) { storage.setTarget(index, to: target, of: model) }
  }

  private static func set(_ index: Int, of model: any PersistentModel, to members: [any PersistentModel]) {
    let storage = model._$storage
    guard !storage.isDeleted else { return }
    storage.mutate(model, index) {
      storage.setMembers(index, to: members.filter { !$0._$storage.isDeleted }, of: model)
    }
  }

  /// An object was inserted, or a delete was taken back.
  func noteUndo(ofInserting model: any PersistentModel) {
    guard link.undoManager != nil else { return }
    register { $0.remove(model) }
  }

  /// An object is about to be deleted.
  func noteUndo(ofDeleting model: any PersistentModel) {
    guard link.undoManager != nil else { return }
    let removal = Removal(of: model)
    register { removal.undo(in: $0) }
  }

  /// What a delete takes away: the object, its relationships, and those that go with it.
  private final class Removal {
    private let model: any PersistentModel
    private var targets: [(Int, any PersistentModel)] = []
    private var members: [(Int, [any PersistentModel])] = []
    private var belongings: [Removal] = []

    convenience init(of model: any PersistentModel) {
      var seen: Set<ObjectIdentifier> = [ObjectIdentifier(model)]
      self.init(of: model, &seen)
    }

    private init(of model: any PersistentModel, _ seen: inout Set<ObjectIdentifier>) {
      self.model = model
      let storage = model._$storage
      for property in storage.description.properties where property.destination != nil {
        var others: [any PersistentModel] = []
        if property.isToMany {
          others = storage.members(property.index).filter { !$0._$storage.isDeleted }
          members.append((property.index, others))
        } else if let target = storage.target(property.index), !target._$storage.isDeleted {
          others = [target]
          targets.append((property.index, target))
        }
        guard property.relationship?.deleteRule == .cascade else { continue }
        for other in others where seen.insert(ObjectIdentifier(other)).inserted {
          belongings.append(Removal(of: other, &seen))
        }
      }
    }

    func undo(in context: ModelContext) {
      bringBack(in: context)
      link()
    }

    private func bringBack(in context: ModelContext) {
      if model._$storage.isDeleted { context.restore(model) }
      for belonging in belongings { belonging.bringBack(in: context) }
    }

    private func link() {
      for (index, target) in targets { ModelContext.set(index, of: model, to: target) }
      for (index, others) in members {
        let living = others.filter { !$0._$storage.isDeleted }
        let present = model._$storage.members(index).filter { !$0._$storage.isDeleted }
        let known = Set(present.map { ObjectIdentifier($0) })
        let missing = living.filter { !known.contains(ObjectIdentifier($0)) }
        if !missing.isEmpty { ModelContext.set(index, of: model, to: present + missing) }
      }
      for belonging in belongings { belonging.link() }
    }
  }

  private func restore(_ model: any PersistentModel) {
    func opened<M: PersistentModel>(_ model: M) { insert(model) }
    opened(model)
  }
}
