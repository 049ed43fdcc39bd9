import RecordStore

/// The inserted and changed objects of one class by the value of its only unique attribute, as far as a fetch had to
/// know. Each object is entered once; an object whose unique attribute is set drops the whole.
struct PendingKeys {
  private var holders: [FieldValue: [any PersistentModel]] = [:]
  private var insertedCount = 0
  private var changedCount = 0

  mutating func takeIn(_ pending: PendingChanges, _ binding: EntityBinding) {
    enter(pending.inserted[insertedCount...], binding)
    enter(pending.changed[changedCount...], binding)
    insertedCount = pending.inserted.count
    changedCount = pending.changed.count
  }

  private mutating func enter(_ models: ArraySlice<any PersistentModel>, _ binding: EntityBinding) {
    for model in models where model._$storage.isKind(of: binding) {
      let value = model._$storage.fieldValue(binding.uniqueProperties[0][0])
      if value != .null { holders[value, default: []].append(model) }
    }
  }

  func holders(of value: FieldValue) -> [any PersistentModel] { holders[value] ?? [] }
}

extension ModelContext {
  /// A unique attribute of an object was set.
  func dropPendingKeys(of binding: EntityBinding) {
    // In a hierarchy, the tables of the classes above hold the object too.
    if binding.family == nil { weighed.keys[ObjectIdentifier(binding)] = nil } else { weighed.keys = [:] }
  }

  /// The objects with unsaved changes that hold a value of their class's only unique attribute; not the deleted ones.
  func pendingHolders(of value: FieldValue, _ binding: EntityBinding) -> [any PersistentModel] {
    let key = ObjectIdentifier(binding)
    // Taken out meanwhile, so that the table is not copied.
    var keys = weighed.keys.removeValue(forKey: key) ?? PendingKeys()
    keys.takeIn(pending, binding)
    defer { weighed.keys[key] = keys }
    return keys.holders(of: value).filter { model in
      let storage = model._$storage
      return !storage.flags.isDisjoint(with: [.inserted, .changed]) && !storage.isDeleted
    }
  }
}
