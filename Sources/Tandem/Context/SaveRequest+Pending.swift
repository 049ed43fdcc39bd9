import RecordStore

extension SaveRequest {
  /// The unsaved changes of one store as a request: the last links of deleted objects, deletes, changed fields, new
  /// records, references to new records, links, positions, deletes of new records, in this order. A unique value that a
  /// delete or a change sets free can be used by an insert of the same save, and a reference to an insert that becomes
  /// an update means the updated record.
  ///
  /// Where inserts come last, as in nearly every save, they go as bytes: see ``RecordDrafts``.
  init(_ pending: PendingChanges, in store: StoreBinding, author: String?, core: ContainerCore) throws {
    let inserted = InsertionOrder.targetsFirst(
      Self.storages(of: pending.inserted, in: store) { $0.contains(.inserted) })
    let changed = Self.storages(of: pending.changed, in: store) { $0.isDisjoint(with: [.deleted, .gone]) }
    let deleted = Self.storages(of: pending.deleted, in: store) { $0.contains(.deleted) }
    // Most objects have no relationships, and so nothing but their fields.
    let linkedInserts = inserted.filter(\.isLinked)
    let linkedChanges = changed.filter(\.isLinked)
    var last: [RecordChange] = []
    for storage in linkedChanges { try storage.appendUpdate(to: &last, core, toNew: true) }
    for storage in linkedChanges { storage.appendLinks(to: &last) }
    for storage in linkedInserts { storage.appendLinks(to: &last) }
    for storage in linkedChanges { last += storage.positions }
    for storage in linkedInserts { last += storage.positions }
    self.init(author: author)
    dropsUpdatesOfLeaving = true
    changes.reserveCapacity(deleted.count + changed.count)
    for storage in deleted where storage.flags.contains(.changed) {
      storage.appendLastLinks(to: &changes, end: &last)
    }
    for storage in deleted { changes += storage.deletion }
    for storage in changed { try storage.appendUpdate(to: &changes, core, toNew: false) }
    try insert(inserted, asDrafts: deleted.isEmpty && last.isEmpty, core)
    changes += last
    refusedDuplicates = Self.refusedDuplicates(of: inserted)
  }

  /// The objects of one store that still count.
  private static func storages(
    of models: [any PersistentModel], in store: StoreBinding, where counts: (ModelStorage.Flags) -> Bool
  ) -> [ModelStorage] {
    var found: [ModelStorage] = []
    found.reserveCapacity(models.count)
    for model in models {
      let storage = model._$storage
      if counts(storage.flags), storage.binding?.store === store { found.append(storage) }
    }
    return found
  }

  private static func refusedDuplicates(of inserted: [ModelStorage]) -> Set<UniqueKey> {
    var found: Set<UniqueKey> = []
    var last: EntityBinding?
    // Objects of one class mostly stand together.
    for storage in inserted where storage.binding !== last {
      last = storage.binding
      found.formUnion(last?.refusedDuplicates ?? [])
    }
    return found
  }

  private mutating func insert(_ inserted: [ModelStorage], asDrafts: Bool, _ core: ContainerCore) throws {
    if asDrafts {
      var fields: [FieldWrite] = []
      drafts.reserve(inserted.count)
      if try inserted.allSatisfy({ try $0.draft(&drafts, &fields, core) }) { return }
      drafts = RecordDrafts()
    }
    for storage in inserted {
      guard let binding = storage.binding else { continue }
      var fields: [FieldWrite] = []
      try storage.collectFields(&fields, core)
      changes.append(.insert(entity: binding.entity.number, id: storage.recordID, fields: fields))
    }
  }
}

extension ModelStorage {
  /// Whether the object can have links that a save must write.
  fileprivate var isLinked: Bool {
    binding?.hasRelationships ?? false || edits.map { !$0.hiddenOwners.isEmpty } ?? false
  }

  fileprivate var deletion: [RecordChange] {
    binding.map { [.delete(entity: $0.entity.number, id: recordID)] } ?? []
  }

  /// Of a deleted object: its links as they were when it was deleted, where the record holds others and the rule of the
  /// delete follows them. What was not saved yet, and would go along, is deleted in the end.
  fileprivate func appendLastLinks(to changes: inout [RecordChange], end: inout [RecordChange]) {
    guard let binding, let edits, !slots.isEmpty else { return }
    for index in description.relationshipIndexes where edits.changed.contains(index) {
      let rule = description.properties[index].relationship?.deleteRule
      guard rule == .cascade || rule == .deny else { continue }
      var linked: [any PersistentModel] = []
      switch slots[index] {
      case .toMany(let toMany):
        guard case .join = binding.relationships[index]?.storage else { continue }
        linked = toMany.added
        for other in toMany.removed { appendLink(index, other._$storage, isLinked: false, to: &changes) }
        for other in toMany.added { appendLink(index, other._$storage, isLinked: true, to: &changes) }
      case .value, .toOne, .empty, .composite:
        guard binding.ordinals[index] >= 0 else { continue }
        linked = [target(index)].compactMap { $0 }
        appendLastTarget(index, binding, to: &changes)
      }
      guard rule == .cascade else { continue }
      end += linked.map { $0._$storage }.filter { $0.flags.contains(.inserted) }.flatMap(\.deletion)
    }
  }

  private func appendLastTarget(_ index: Int, _ binding: EntityBinding, to changes: inout [RecordChange]) {
    let target = target(index).map { $0._$storage }.flatMap { $0.isStored ? $0.recordID : nil }
    let field = binding.entity.fields[binding.ordinals[index]]
    guard target != nil || field.isOptional else { return }
    let write = FieldWrite(field.ordinal, target.map { .reference($0) } ?? .null)
    changes.append(.update(entity: binding.entity.number, id: recordID, fields: [write]))
  }

  private func appendLink(_ index: Int, _ other: ModelStorage, isLinked: Bool, to changes: inout [RecordChange]) {
    guard let binding, other.isStored else { return }
    changes.append(
      .link(
        entity: binding.entity.number, id: recordID, relationship: description.properties[index].storedName,
        other: other.recordID, isLinked: isLinked))
  }

  private var isStored: Bool { flags.isDisjoint(with: [.inserted, .gone]) }

  /// Adds a new object's record; false if only the general way of a save can judge it. `fields` is memory to be used
  /// again.
  fileprivate func draft(_ drafts: inout RecordDrafts, _ fields: inout [FieldWrite], _ core: ContainerCore) throws
    -> Bool
  {
    guard let binding else { return true }
    fields.removeAll(keepingCapacity: true)
    try collectFields(&fields, core)
    return drafts.append(recordID, binding.draft, fields)
  }

  /// What no initialiser set is left out and gets its default from the store.
  fileprivate func collectFields(_ fields: inout [FieldWrite], _ core: ContainerCore) throws {
    guard let binding else { return }
    for index in binding.storedIndexes {
      if let value = try savedValue(index) { fields.append(FieldWrite(binding.ordinals[index], value)) }
    }
    let owners = edits?.hiddenOwners ?? [:]
    guard binding.classWrite != nil || !owners.isEmpty else { return }
    if let write = binding.classWrite { fields.append(write) }
    fields += hiddenWrites(owners, core)
    fields.sort { $0.ordinal < $1.ordinal }
  }

  /// The changed fields: references to new records, or all others.
  fileprivate func appendUpdate(to changes: inout [RecordChange], _ core: ContainerCore, toNew: Bool) throws {
    guard let binding, let edits else { return }
    var fields: [FieldWrite] = []
    try edits.changed.forEach { index in
      guard binding.ordinals[index] >= 0, isTargetNew(index) == toNew, let value = try savedValue(index) else { return }
      fields.append(FieldWrite(binding.ordinals[index], value))
    }
    if !edits.hiddenOwners.isEmpty {
      let owners = edits.hiddenOwners.filter { ($0.value?._$storage.flags.contains(.inserted) ?? false) == toNew }
      fields += hiddenWrites(owners, core)
    }
    if !fields.isEmpty { changes.append(.update(entity: binding.entity.number, id: recordID, fields: fields)) }
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
  fileprivate func appendLinks(to changes: inout [RecordChange]) {
    guard let binding, !slots.isEmpty, !binding.description.relationshipIndexes.isEmpty else { return }
    for index in binding.description.relationshipIndexes {
      guard case .toMany(let toMany) = slots[index], toMany.isPending,
        case .join(_, let near, let far) = binding.relationships[index]?.storage
      else { continue }
      let name = description.properties[index].storedName
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
  }
}
