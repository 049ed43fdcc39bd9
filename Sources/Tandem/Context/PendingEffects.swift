import RecordStore

/// The objects that the delete rules will take away when a context saves: they are in the store, or inserted,
/// and a fetch after the save would not show them. They carry the mark ``ModelStorage/Flags/hidden``.
///
/// Kept by the context from fetch to fetch, for an app that deletes in a loop fetches in it too: a further delete costs
/// its own effects only. Whatever else could change them drops it: ``ModelContext/dropPendingEffects()``.
final class PendingEffects {
  private var hidden: [any PersistentModel] = []
  private var seen: Set<ObjectIdentifier> = []
  /// How many of the context's deletes are accounted for.
  private var known = 0

  func takeIn(_ context: ModelContext) throws {
    let deleted = context.pending.deleted
    guard known < deleted.count else { return }
    var open: [any PersistentModel] = []
    for model in deleted[known...] where model._$storage.flags.contains(.deleted) {
      if seen.insert(ObjectIdentifier(model)).inserted { open.append(model) }
    }
    while let model = open.popLast() {
      for dependent in try Self.dependents(of: model, context) where seen.insert(ObjectIdentifier(dependent)).inserted {
        dependent._$storage.flags.insert(.hidden)
        hidden.append(dependent)
        open.append(dependent)
      }
    }
    known = deleted.count
  }

  var count: Int { hidden.count }

  func end() {
    for model in hidden { model._$storage.flags.remove(.hidden) }
  }

  /// The objects that can not be without `model`: by a rule of cascade, or by a reference that must not be nil.
  private static func dependents(
    of model: any PersistentModel, _ context: ModelContext
  ) throws -> [any PersistentModel] {
    let storage = model._$storage
    var found: [any PersistentModel] = []
    for index in storage.description.relationshipIndexes {
      let property = storage.description.properties[index]
      let rule = property.relationship?.deleteRule
      let isNeeded = property.isNeeded(by: storage.description.inverse(of: index))
      // Objects that forbid what the app deletes go with nothing, and it has to find them. They may go with what goes
      // along with another object.
      let isForbidden = rule == .deny && storage.flags.contains(.deleted)
      guard rule == .cascade || isNeeded && !isForbidden else { continue }
      found += property.isToMany ? storage.members(index) : [storage.target(index)].compactMap { $0 }
    }
    // Objects that left before take nothing along any more.
    return try found.filter { !$0._$storage.flags.contains(.gone) } + holders(of: storage, context)
  }

  /// Objects with a reference to `storage`'s that must not be nil and that has no inverse.
  private static func holders(of storage: ModelStorage, _ context: ModelContext) throws -> [any PersistentModel] {
    guard let store = storage.binding?.store else { return [] }
    var found: [any PersistentModel] = []
    for binding in context.core.bindings(in: store.index) {
      // A relationship that a subclass demands is optional in the store, and stays there without its target.
      guard binding.description.superclass == nil else { continue }
      for property in binding.description.properties where !property.isToMany && !property.isOptional {
        guard let destination = property.destination, storage.description.isKind(of: ModelDescription.of(destination))
        else { continue }
        guard binding.description.inverse(of: property.index) == nil else { continue }
        found += try context.holders(of: storage.recordID, by: property.index, binding)
      }
    }
    return found.filter { $0._$storage.flags.isDisjoint(with: [.gone, .deleted]) }
  }
}

extension ModelContext {
  /// Brings the marks of what the pending deletes will take away up to date.
  func noteEffects() throws {
    guard !pending.deleted.isEmpty else { return }
    let effects = weighed.effects ?? PendingEffects()
    weighed.effects = effects
    do {
      try effects.takeIn(self)
    } catch {
      dropPendingEffects()
      throw error
    }
  }

  /// Links, deletes or the store changed in a way that may change what the deletes take along.
  func dropPendingEffects() {
    weighed.effects?.end()
    weighed.effects = nil
  }

  /// The objects of a class that refer to a record by a to-one, as things stand here.
  fileprivate func holders(
    of id: RecordID, by index: Int, _ binding: EntityBinding
  ) throws -> [any PersistentModel] {
    let query = RecordQuery(
      entity: binding.entity.number,
      filter: .compare(FieldPath(binding.ordinals[index]), .equal, .reference(id)))
    var stored: [any PersistentModel] = []
    try read(binding.store) { snapshot in
      try snapshot.forEachRow(query) { row in
        stored.append(try register(row, binding))
        return true
      }
    }
    let unsaved = (pending.liveInserted + pending.liveChanged).filter { $0._$storage.isKind(of: binding) }
    return (stored + unsaved).filter { $0._$storage.target(index)?._$storage.recordID == id }
  }
}
