import RecordStore

extension LocalWork {
  /// The unsaved changes of one store: links between stored objects as they will be, deletes, other
  /// changed fields, new records, links to new records, positions, in this order. So a delete follows the links as they
  /// are, also those of what only goes along; a unique value that a delete or a change sets free can be used by an
  /// insert of the same save; and a reference to an insert that becomes an update means the updated record.
  ///
  /// Where inserts come last, as in nearly every save, they go as bytes: see ``RecordDrafts``. Then other changes are
  /// values of fields and nothing else: see ``RecordEdits``.
  ///
  /// For what is pending with an object for each, where ``init(unlinked:in:core:)`` gives nil.
  init(_ pending: PendingChanges, in store: StoreBinding, core: ContainerCore) throws {
    precondition(pending.unheld == nil, "a save of links has an object for each change")
    self.init()
    dropsUpdatesOfLeaving = true
    let inserted = InsertionOrder.targetsFirst(
      Self.storages(of: pending.inserted, in: store) { $0.contains(.inserted) })
    let changed = Self.storages(of: pending.changed, in: store) { $0.isDisjoint(with: [.deleted, .gone]) }
    let deleted = Self.storages(of: pending.deleted, in: store) { $0.contains(.deleted) }
    // Most objects have no relationships, and so nothing but their fields.
    let linkedInserts = inserted.filter(\.isLinked)
    let linkedChanges = changed.filter(\.isLinked)
    // Without deletes, links are written with the other fields.
    let leaving = deleted.filter { $0.flags.contains(.changed) && $0.isLinked }
    let relinked = deleted.isEmpty ? [] : linkedChanges + leaving
    var last = Self.cutReferences(of: inserted, core)
    for storage in linkedChanges + leaving { try storage.appendUpdate(to: &last, core, .toNew) }
    // A record that one object gives up may be another one's from now on.
    for storage in linkedChanges + leaving {
      storage.appendLostHolders(to: &last) { deleted.isEmpty || !storage.isStored || !$0.isStored }
    }
    for storage in linkedChanges + leaving {
      storage.appendLinks(to: &last) { deleted.isEmpty || !storage.isStored || !$0.isStored }
      storage.appendHolders(to: &last) { deleted.isEmpty || !storage.isStored || !$0.isStored }
    }
    for storage in linkedInserts {
      storage.appendLinks(to: &last) { _ in true }
      storage.appendHolders(to: &last) { _ in true }
    }
    for storage in linkedChanges { last += storage.positions }
    for storage in linkedInserts { last += storage.positions }
    changes.reserveCapacity(deleted.count + changed.count)
    for storage in relinked { try storage.appendUpdate(to: &changes, core, .links) }
    for storage in relinked { storage.appendLostHolders(to: &changes) { storage.isStored && $0.isStored } }
    for storage in relinked {
      storage.appendLinks(to: &changes) { storage.isStored && $0.isStored }
      storage.appendHolders(to: &changes) { storage.isStored && $0.isStored }
    }
    for storage in deleted {
      if let entity = storage.binding?.entity.number { changes.append(.delete(entity: entity, id: storage.recordID)) }
    }
    let isPlain = deleted.isEmpty && last.isEmpty
    if isPlain {
      edits = try Self.edits(of: changed, core)
    } else {
      for storage in changed { try storage.appendUpdate(to: &changes, core, deleted.isEmpty ? .toStored : .rest) }
    }
    try insert(inserted, asDrafts: isPlain, core)
    changes += last
    refusedDuplicates = Self.refusedDuplicates(of: inserted)
  }

  /// The commonest save: no deletes, and objects that link to nothing. Each object is looked at once, because a look at
  /// one of many waits for memory. Nil for any other.
  init?(unlinked pending: PendingChanges, in store: StoreBinding, core: ContainerCore) throws {
    guard pending.deleted.isEmpty else { return nil }
    // Its own variable, to which access is not checked at run time.
    var edits = RecordEdits()
    for model in pending.changed {
      let storage = model._$storage
      guard storage.flags.isDisjoint(with: [.deleted, .gone]), storage.binding?.store === store else { continue }
      if storage.isLinked { return nil }
      try storage.appendUpdate(to: &edits, core)
    }
    var drafts = RecordDrafts()
    var refused: Set<UniqueKey> = []
    if let unheld = pending.unheld {
      refused.formUnion(unheld.classes.flatMap(\.refusedDuplicates))
      // Mostly they come before all objects, and are not copied then.
      if unheld.areFirst { drafts = unheld.drafts } else if !drafts.keepMemory(of: unheld.drafts) { return nil }
      for stretch in unheld.stretches(beside: pending.inserted.count) {
        if !unheld.areFirst { drafts.append(stretch.drafts, of: unheld.drafts) }
        let objects = pending.inserted[stretch.objects]
        guard try Self.take(objects, in: store, core, &drafts, &refused) else { return nil }
      }
    } else {
      drafts.reserve(pending.inserted.count)
      guard try Self.take(pending.inserted[...], in: store, core, &drafts, &refused) else { return nil }
    }
    self.init()
    dropsUpdatesOfLeaving = true
    self.edits = edits
    self.drafts = drafts
    refusedDuplicates = refused
  }

  /// Adds the drafts of new objects; false if one has links.
  private static func take(
    _ models: ArraySlice<any PersistentModel>, in store: StoreBinding, _ core: ContainerCore,
    _ drafts: inout RecordDrafts, _ refused: inout Set<UniqueKey>
  ) throws -> Bool {
    var last: EntityBinding?
    for model in models {
      let storage = model._$storage
      guard storage.flags.contains(.inserted), let binding = storage.binding, binding.store === store else { continue }
      guard !storage.isLinked, try storage.draft(&drafts, core) else { return false }
      if binding !== last { refused.formUnion(binding.refusedDuplicates) }
      last = binding
    }
    return true
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

  /// References that are written before the new record that they lead to, for circles are cut somewhere. They are set
  /// once more behind it: by then it may have turned out to be a record that exists already, by a unique value.
  private static func cutReferences(of inserted: [ModelStorage], _ core: ContainerCore) -> [RecordChange] {
    guard inserted.contains(where: \.isLinked),
      inserted.contains(where: { $0.binding?.uniqueProperties.isEmpty == false })
    else { return [] }
    var changes: [RecordChange] = []
    // A mark on the object itself is cheaper than a set of those that are written.
    defer { for storage in inserted { storage.flags.remove(.visited) } }
    for storage in inserted {
      storage.appendReferences(to: &changes, core) { target in
        target.flags.contains(.inserted) && target.flags.isDisjoint(with: .visited)
          && target.binding?.uniqueProperties.isEmpty == false
      }
      storage.flags.insert(.visited)
    }
    return changes
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
    if asDrafts, let drafts = try Self.drafts(of: inserted, core) {
      self.drafts = drafts
      return
    }
    for storage in inserted {
      guard let binding = storage.binding else { continue }
      var fields: [FieldWrite] = []
      try storage.collectFields(&fields, core)
      changes.append(.insert(entity: binding.entity.number, id: storage.recordID, fields: fields))
    }
  }
}

extension LocalWork {
  private static func edits(of changed: [ModelStorage], _ core: ContainerCore) throws -> RecordEdits {
    var edits = RecordEdits()
    for storage in changed { try storage.appendUpdate(to: &edits, core) }
    return edits
  }

  /// New records as bytes; nil if only the general way of a save can judge one.
  private static func drafts(of inserted: [ModelStorage], _ core: ContainerCore) throws -> RecordDrafts? {
    // Its own variable, to which access is not checked at run time.
    var drafts = RecordDrafts()
    drafts.reserve(inserted.count)
    for storage in inserted {
      guard try storage.draft(&drafts, core) else { return nil }
    }
    return drafts
  }
}

extension ModelStorage {
  /// Whether the object can have links that a save must write.
  fileprivate var isLinked: Bool {
    binding?.hasRelationships ?? false || edits.map { !$0.hiddenOwners.isEmpty } ?? false
  }

  fileprivate var isStored: Bool { flags.isDisjoint(with: [.inserted, .gone]) }

  /// Adds a new object's record, from the slots into its bytes; false if only the general way of a save can judge it.
  fileprivate func draft(_ drafts: inout RecordDrafts, _ core: ContainerCore) throws -> Bool {
    guard let binding else { return true }
    guard binding.classWrite == nil, edits?.hiddenOwners.isEmpty ?? true else {
      var fields: [FieldWrite] = []
      try collectFields(&fields, core)
      return drafts.append(recordID, binding.draft, fields)
    }
    if let piece, drafts.append(recordID, binding.draft, view, in: piece) { return true }
    return try drafts.append(recordID, binding.draft) { try write(to: &$0, binding) }
  }

  private func write(to record: inout DraftWriter, _ binding: EntityBinding) throws -> Bool {
    // A draft that is there already and does not fit is for the general way.
    guard !slots.isEmpty else { return !isPacked }
    for index in binding.storedIndexes {
      // Nearly all are plain values.
      if case .value(let value) = slots[index] {
        guard record.write(binding.places[index].ordinal, value) else { return false }
      } else if let value = try savedValue(index) {
        guard record.write(binding.places[index].ordinal, value) else { return false }
      }
    }
    return true
  }

  /// A property that no initialiser set is left out and gets its default from the store.
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

  /// Which of the changed fields an update carries.
  fileprivate enum Part {
    /// References to records that the store has, or to none; instead of one to a new record none, where that may be.
    case links
    /// References to new records, and that there is none where one must be of an object that leaves.
    case toNew
    /// All others; what is left of them after `links`.
    case toStored, rest
  }

  /// The changed fields, or the links of a deleted object that its delete follows.
  fileprivate func appendUpdate(to changes: inout [RecordChange], _ core: ContainerCore, _ part: Part) throws {
    guard let binding, let edits else { return }
    let isDeleted = flags.contains(.deleted)
    var fields: [FieldWrite] = []
    try edits.changed.forEach { index in
      guard binding.places[index].ordinal >= 0, !isDeleted || isFollowedByDelete(index),
        let value = try savedValue(index, part)
      else { return }
      fields.append(FieldWrite(binding.places[index].ordinal, value))
    }
    if !edits.hiddenOwners.isEmpty, !flags.contains(.deleted) {
      fields += hiddenWrites(edits.hiddenOwners, core, part)
    }
    if !fields.isEmpty { changes.append(.update(entity: binding.entity.number, id: recordID, fields: fields)) }
  }

  /// The changed fields, where nothing is deleted and no link leads to a new record.
  fileprivate func appendUpdate(to update: inout RecordEdits, _ core: ContainerCore) throws {
    guard let binding, let edits else { return }
    // Without relationships, every property is an attribute.
    let hasRelationships = binding.hasRelationships
    try edits.changed.forEach { index in
      let ordinal = binding.places[index].ordinal
      guard ordinal >= 0, let value = try hasRelationships ? savedValue(index, .toStored) : savedValue(index) else {
        return
      }
      update.append(FieldWrite(ordinal, value))
    }
    if !edits.hiddenOwners.isEmpty {
      for write in hiddenWrites(edits.hiddenOwners, core, .toStored) { update.append(write) }
    }
    update.end(binding.entity.number, recordID)
  }

  /// Whether a delete of this object takes along or asks for what a relationship leads to.
  private func isFollowedByDelete(_ index: Int) -> Bool {
    let property = description.properties[index]
    switch property.relationship?.deleteRule {
    case .cascade, .deny: return true
    default: return property.isNeeded(by: description.inverse(of: index))
    }
  }

  private func savedValue(_ index: Int, _ part: Part) throws -> FieldValue? {
    guard description.properties[index].destination != nil else {
      return part == .toStored || part == .rest ? try savedValue(index) : nil
    }
    guard !slots.isEmpty else { return nil }
    let isNew = if case .toOne(let target) = slots[index] { target._$storage.flags.contains(.inserted) } else { false }
    let value = try savedValue(index)
    switch part {
    case .toNew: return isNew || flags.contains(.deleted) && value == .null && !isOptionalHere(index) ? value : nil
    case .toStored: return isNew ? nil : value
    case .links: return isNew || value == .null ? isOptionalHere(index) ? .null : nil : value
    // A nil may not be said here: the store refuses it, unless the object goes along.
    case .rest: return !isNew && value == .null && !isOptionalHere(index) ? value : nil
    }
  }

  /// Whether the record may be without what a property leads to.
  private func isOptionalHere(_ index: Int) -> Bool { binding?.fields[index]?.isOptional ?? true }

  /// The value that a slot asks the store to hold; nil for an empty slot. Throws for a value that has no bytes.
  private func savedValue(_ index: Int) throws -> FieldValue? {
    guard !slots.isEmpty else { return isPacked && isGiven(index) ? recordValue(index) : nil }
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
    _ owners: [HiddenRelationship: (any PersistentModel)?], _ core: ContainerCore, _ part: Part? = nil
  ) -> [FieldWrite] {
    owners.compactMap { relationship, owner in
      guard let ordinal = core.binding(of: relationship.owner)?.hiddenOrdinal(of: relationship.index) else {
        return nil
      }
      let storage = owner?._$storage
      let isNew = storage?.flags.contains(.inserted) ?? false
      switch part {
      case nil: break
      case .links: if isNew { return FieldWrite(ordinal, .null) }
      case .toNew: if !isNew { return nil }
      case .toStored: if isNew { return nil }
      case .rest: return nil
      }
      guard let storage, !storage.flags.contains(.gone) else { return FieldWrite(ordinal, .null) }
      return FieldWrite(ordinal, .reference(storage.recordID))
    }.sorted { $0.ordinal < $1.ordinal }
  }

  /// The references to some objects that lie in this object's record, as an update.
  fileprivate func appendReferences(
    to changes: inout [RecordChange], _ core: ContainerCore, where isWanted: (ModelStorage) -> Bool
  ) {
    guard let binding, isLinked else { return }
    var fields: [FieldWrite] = []
    for index in description.relationshipIndexes where !slots.isEmpty && binding.ordinals[index] >= 0 {
      guard case .toOne(let target) = slots[index], isWanted(target._$storage) else { continue }
      fields.append(FieldWrite(binding.ordinals[index], .reference(target._$storage.recordID)))
    }
    let owners = edits?.hiddenOwners.filter { $0.value.map { isWanted($0._$storage) } ?? false } ?? [:]
    fields += hiddenWrites(owners, core)
    if !fields.isEmpty { changes.append(.update(entity: binding.entity.number, id: recordID, fields: fields)) }
  }

  /// The many-to-many links of this side, to the others that are asked for. Both sides note a link; the one that comes
  /// first writes it, or the only one that a class declares.
  fileprivate func appendLinks(to changes: inout [RecordChange], where isWanted: (ModelStorage) -> Bool) {
    guard let binding, !slots.isEmpty, !binding.description.relationshipIndexes.isEmpty else { return }
    for index in binding.description.relationshipIndexes {
      guard case .toMany(let toMany) = slots[index], toMany.isPending,
        case .join(_, let near, let far) = binding.relationships[index]?.storage
      else { continue }
      let name = description.properties[index].storedName
      let isAlone = description.inverse(of: index) == nil
      func note(_ others: [any PersistentModel], isLinked: Bool) {
        for other in others.map({ $0._$storage }) where !other.flags.contains(.gone) && isWanted(other) {
          guard isAlone || near < far || (near == far && recordID <= other.recordID) else { continue }
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

  /// The records that hold this object's links and shall not any more; see ``EntityBinding/heldElsewhere``.
  fileprivate func appendLostHolders(to changes: inout [RecordChange], where isWanted: (ModelStorage) -> Bool) {
    forEachHeldElsewhere { entity, ordinal, index, target in
      guard !flags.contains(.inserted), let holder = link?.holder(of: index, self)?._$storage, holder !== target,
        isWanted(holder)
      else { return }
      changes.append(.update(entity: entity, id: holder.recordID, fields: [FieldWrite(ordinal, .null)]))
    }
  }

  /// The records that hold this object's links from now on.
  fileprivate func appendHolders(to changes: inout [RecordChange], where isWanted: (ModelStorage) -> Bool) {
    forEachHeldElsewhere { entity, ordinal, _, target in
      guard let target, isWanted(target) else { return }
      changes.append(.update(entity: entity, id: target.recordID, fields: [FieldWrite(ordinal, .reference(recordID))]))
    }
  }

  private func forEachHeldElsewhere(
    _ body: (_ entity: EntityNumber, _ ordinal: Int, _ index: Int, _ target: ModelStorage?) -> Void
  ) {
    guard let binding, !binding.heldElsewhere.isEmpty, !slots.isEmpty else { return }
    for (index, entity, ordinal) in binding.heldElsewhere
    where flags.contains(.inserted) || edits?.changed.contains(index) == true {
      let target: ModelStorage? = if case .toOne(let model) = slots[index] { model._$storage } else { nil }
      body(entity, ordinal, index, target?.flags.contains(.gone) == false ? target : nil)
    }
  }
}
