import RecordStore

extension SaveRequest {
  /// The unsaved changes of one store as a request: deletes, changed fields, new records, references
  /// to new records, links, in this order. A unique value that a delete or a change sets free can so be used by
  /// an insert of the same save, and a reference to an insert that becomes an update means the updated record.
  init(_ pending: PendingChanges, in store: StoreBinding, author: String?, core: ContainerCore) throws {
    func here(_ models: [any PersistentModel]) -> [ModelStorage] {
      models.map { $0._$storage }.filter { $0.binding?.store === store }
    }
    let inserted = here(pending.liveInserted)
    let changed = here(pending.liveChanged)
    var changes: [RecordChange] = []
    changes.reserveCapacity(inserted.count + changed.count)
    for storage in here(pending.liveDeleted) { changes += storage.deletion }
    for storage in changed { changes += try storage.update(core, toNew: false) }
    for storage in InsertionOrder.targetsFirst(inserted) { changes += try storage.insertion(core) }
    for storage in changed { changes += try storage.update(core, toNew: true) }
    for storage in changed + inserted { changes += storage.links }
    self.init(author: author, changes: changes)
    refusedDuplicates = Set(inserted.flatMap { $0.binding?.refusedDuplicates ?? [] })
  }
}

extension ModelStorage {
  fileprivate var deletion: [RecordChange] {
    binding.map { [.delete(entity: $0.entity.number, id: recordID)] } ?? []
  }

  fileprivate func insertion(_ core: ContainerCore) throws -> [RecordChange] {
    guard let binding else { return [] }
    var fields: [FieldWrite] = []
    fields.reserveCapacity(slots.count)
    for index in binding.storedIndexes {
      // What no initialiser set gets its default from the store.
      if let value = try savedValue(index) { fields.append(FieldWrite(binding.ordinals[index], value)) }
    }
    fields += hiddenWrites(edits?.hiddenOwners ?? [:], core)
    return [.insert(entity: binding.entity.number, id: recordID, fields: fields)]
  }

  /// The changed fields: references to new records, or all others.
  fileprivate func update(_ core: ContainerCore, toNew: Bool) throws -> [RecordChange] {
    guard let binding, let edits else { return [] }
    var fields: [FieldWrite] = []
    try edits.changed.forEach { index in
      guard binding.ordinals[index] >= 0, isTargetNew(index) == toNew, let value = try savedValue(index) else { return }
      fields.append(FieldWrite(binding.ordinals[index], value))
    }
    let owners = edits.hiddenOwners.filter { ($0.value?._$storage.flags.contains(.inserted) ?? false) == toNew }
    fields += hiddenWrites(owners, core)
    return fields.isEmpty ? [] : [.update(entity: binding.entity.number, id: recordID, fields: fields)]
  }

  private func isTargetNew(_ index: Int) -> Bool {
    if !slots.isEmpty, case .toOne(let target) = slots[index] { return target._$storage.flags.contains(.inserted) }
    return false
  }

  /// The value that a slot asks the store to hold; nil for an empty slot. Throws for a value that has no bytes.
  private func savedValue(_ index: Int) throws -> FieldValue? {
    guard !slots.isEmpty else { return nil }
    switch slots[index] {
    case .value(let value): return value
    case .composite(let held):
      guard let failure = held.failure else { return held.encoded }
      throw SwiftDataError(
        .modelValidationFailure,
        "\(description.name).\(description.properties[index].name) has a value that can not be encoded: set another",
        cause: failure)
    case .toOne(let target):
      return target._$storage.flags.contains(.gone) ? .null : .reference(target._$storage.recordID)
    case .empty, .toMany: return nil
    }
  }

  private func hiddenWrites(
    _ owners: [HiddenRelationship: (any PersistentModel)?], _ core: ContainerCore
  ) -> [FieldWrite] {
    owners.compactMap { relationship, owner in
      guard let ordinal = core.binding(of: relationship.owner)?.hiddenOrdinal(of: relationship.index) else {
        return nil
      }
      guard let owner, !owner._$storage.flags.contains(.gone) else { return FieldWrite(ordinal, .null) }
      return FieldWrite(ordinal, .reference(owner._$storage.recordID))
    }.sorted { $0.ordinal < $1.ordinal }
  }

  /// The many-to-many links of this side. Both sides note a link; the one that comes first writes it.
  fileprivate var links: [RecordChange] {
    guard let binding, !slots.isEmpty else { return [] }
    var changes: [RecordChange] = []
    for index in description.relationshipIndexes {
      guard case .toMany(let toMany) = slots[index], toMany.isPending,
        case .join(_, let near, let far) = binding.relationships[index]?.storage
      else { continue }
      let name = description.properties[index].name
      func note(_ others: [any PersistentModel], isLinked: Bool) {
        for other in others.map({ $0._$storage }) where !other.flags.contains(.gone) {
          guard near < far || (near == far && recordID <= other.recordID) else { continue }
          changes.append(
            .link(
              entity: binding.entity.number, id: recordID, relationship: name, other: other.recordID, isLinked: isLinked
            ))
        }
      }
      note(toMany.removed, isLinked: false)
      note(toMany.added, isLinked: true)
    }
    return changes
  }
}
