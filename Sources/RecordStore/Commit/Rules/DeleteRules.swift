import LMDB

/// Deletes by the user, and what the rules of the deleted side add to them.
///
/// | rule of the deleted side | links stored on the other side        | links stored on this side or in a join     |
/// |--------------------------|---------------------------------------|--------------------------------------------|
/// | cascade                  | derived: the holder hides (Visibility) | the destination gets a delete of its own   |
/// | nullify, noAction        | derived: the reference reads as nil    | nothing: the link goes with this record    |
/// | deny                     | refused while a living holder refers   | refused while the destination is visible   |
///
/// A one-to-one whose other side requires this one, with the link stored on this side, is a cascade, whatever its rule,
/// but for deny.
///
/// Only facts travel: derived effects are worked out again on every device.
extension CommitSession {
  /// Deletes several records as one step, so that a record and what forbids its delete may go together.
  func delete(_ keys: [RecordKey]) throws {
    var deleted: [Int] = []
    // Earlier changes of this save decide what is there to delete.
    try settle()
    for key in keys {
      _ = try declaredRules(of: key.entity)
      // Gone already: somebody else did it, which is what the caller wants.
      guard let slot = try slot(of: resolved(key.id), entity: key.entity), isDeletable(slot) else { continue }
      markDeleted(slot)
      deleted.append(slot)
    }
    for slot in deleted where rules(of: slot).cascadesForward && !leaving.moving.contains(slot) {
      try cascadeForward(from: slot)
    }
    for slot in deleted { try reconsiderTargets(of: slot, mayDrop: true) }
    try settle()
    try releaseDisplaced()
  }

  /// Whether a record is there to delete. A record that only an earlier change of this save hides is deleted too: it
  /// would come back with what it lacks.
  private func isDeletable(_ slot: Int) -> Bool {
    let record = records[slot]
    return record.facts.deleted != stamp && (record.isVisible || record.wasVisible || record.isInsertedHere)
  }

  /// Deletes a record while the queue is worked off, as was asked for. Other records go with it by derived rules alone.
  func deletePassed(_ key: RecordKey) throws {
    guard let slot = try slot(of: key.id, entity: key.entity), isDeletable(slot) else { return }
    markDeleted(slot)
    try reconsiderTargets(of: slot, mayDrop: true)
  }

  private func markDeleted(_ slot: Int) {
    changeFacts(of: slot) { $0.deleted = stamp }
    takeBackValues(of: slot)
    records[slot].isDeletedHere = true
  }

  /// Nobody has seen the unique values that this save gave to a record that goes: it goes with those it had.
  private func takeBackValues(of slot: Int) {
    guard let original = records[slot].original else { return }
    let ordinals = rules(of: slot).uniqueOrdinals.filter { records[slot].facts.register(at: $0)?.stamp == stamp }
    guard !ordinals.isEmpty else { return }
    changeFacts(of: slot) { facts in
      for register in ordinals.compactMap({ original.register(at: $0) }) {
        facts.set(register.value, at: register.ordinal, stamp: register.stamp, isOnce: register.isOnce)
      }
    }
  }

  /// Takes back the unique values that this save gave to records that go with others by derived rules, where it gave
  /// them to another record too. Devices that merge the save would take the two for one.
  func takeBackValuesOfLeaving() throws {
    guard claimed.contains(where: { $0.value.count > 1 }) else { return }
    for slot in records.indices where try isSharingValue(slot) && goesAlong(slot) {
      let before = records[slot].facts
      // One that nobody has seen goes by its own name.
      if records[slot].original == nil { changeFacts(of: slot) { $0.deleted = stamp } }
      takeBackValues(of: slot)
      try follow(slot, before: before)
    }
    try settle()
  }

  /// Whether this save gave one value to a record that is hidden and to another one.
  private func isSharingValue(_ slot: Int) throws -> Bool {
    let record = records[slot]
    guard !record.isVisible, !record.isRemoved, record.isDirty, record.facts.deleted != stamp else { return false }
    return try claims(of: record.facts).contains { claim in
      try (claimed[claim]?.count ?? 0) > 1 && isGivenHere(claim, slot)
        && holders(of: claim).contains { $0 != slot && isGivenHere(claim, $0) }
    }
  }

  private func isGivenHere(_ claim: ClaimKey, _ slot: Int) -> Bool {
    ClaimOrder.stamp(of: claim, records[slot].facts, rules(of: slot).entity) == stamp
  }

  /// Deletes destinations of cascades that are stored on the deleted side, at any depth, and through the
  /// holders that go with a record by a derived cascade.
  private func cascadeForward(from root: Int) throws {
    if terms.leavesTargets { return }
    var visited: Set<Int> = [root]
    var pending = [root]
    while let slot = pending.popLast() {
      let rules = rules(of: slot)
      for rule in rules.outgoing where rule.isCascade {
        for destination in try destinations(of: slot, rule) where visited.insert(destination).inserted {
          if try isChangeable(destination) { markDeleted(destination) }
          try reconsiderTargets(of: destination, mayDrop: true)
          pending.append(destination)
        }
      }
      for reference in rules.incoming where reference.rule.hides && layout.rules[reference.holder].cascadesForward {
        for holder in try currentHolders(of: records[slot].facts.id, reference)
        where try !leaving.moving.contains(holder) && !isDisplaced(holder, reference.rule) && isDeletableOrGone(holder)
          && visited.insert(holder).inserted
        {
          pending.append(holder)
        }
      }
    }
  }

  /// Whether a record can be deleted, or went along with another by this save.
  private func isDeletableOrGone(_ slot: Int) throws -> Bool {
    try isChangeable(slot) || records[slot].wasVisible && goesWithThisSave(slot)
  }

  /// Notes the records that changes after the deletes of a request may take from what it deletes, or under which they
  /// may put others. Only those matter that would take others along, or ask for them: whether they go themselves is
  /// derived in the end.
  func noteMoves(in changes: some Sequence<RecordChange>) throws {
    for change in changes {
      switch change {
      case .update(let entity, let id, let fields): try noteMoves(entity, id, fields)
      case .link(let entity, let id, let name, let other, isLinked: true):
        guard layout.rules.indices.contains(entity),
          let destination = layout.rules[entity].entity.relationship(named: name)?.destination
        else { continue }
        if let slot = try slot(of: resolved(id), entity: entity) { leaving.relinked.insert(slot) }
        let others = layout.catalogue.numbers(of: destination)
        if let slot = try slot(of: resolved(other), among: others) { leaving.relinked.insert(slot) }
      case .insert, .delete, .link: break
      }
    }
  }

  private func noteMoves(_ entity: EntityNumber, _ id: RecordID, _ fields: [FieldWrite]) throws {
    guard layout.rules.indices.contains(entity) else { return }
    let rules = layout.rules[entity]
    let known = fields.filter { rules.entity.fields.indices.contains($0.ordinal) }
    let required = known.filter { !rules.entity.fields[$0.ordinal].isOptional }
    let isLinked = known.contains { rules.isFollowedByDelete($0.ordinal) }
    guard isLinked || rules.cascadesForward && rules.moves(required),
      let slot = try slot(of: resolved(id), entity: entity)
    else { return }
    let isMoving = rules.moves(required) || required.contains { rules.isFollowedByDelete($0.ordinal) }
    if isMoving { leaving.moving.insert(slot) } else { leaving.relinked.insert(slot) }
  }

  /// Goes on with the deletes through what they reach by changes that came after them: through records that were not
  /// taken away after all, new links, and new records that go at once, by the links that they have now.
  func cascadeThroughLastLinks() throws {
    try settle()
    try writeUpdatesOfStaying()
    let inserted = records.indices.filter { records[$0].isInsertedHere && rules(of: $0).cascadesForward }
    let goers = try leaving.moving.union(leaving.relinked).union(inserted).sorted().filter { slot in
      let record = records[slot]
      return try !record.isVisible && (record.wasVisible || record.isInsertedHere) && goesWithThisSave(slot)
    }
    leaving.moving = []
    for slot in inKeyOrder(goers) { try writeLastLinks(ofLeaving: slot) }
    for slot in goers { try cascadeForward(from: slot) }
  }

  /// The visible records at the far end of a relationship that is stored on this side.
  private func destinations(of slot: Int, _ rule: ForwardRule) throws -> [Int] {
    switch rule.storage {
    case .reference(let ordinal):
      guard !isReleased(slot, ordinal), let target = records[slot].facts.reference(at: ordinal),
        let reference = rules(of: slot).reference(at: ordinal), try !isUnseen(slot, reference, target)
      else { return [] }
      return try self.slot(of: target, among: rule.targets).map { [$0] } ?? []
    case .join(let join, let near, let far):
      guard let side = layout.rules[join].reference(at: near) else { return [] }
      let links = try currentHolders(of: records[slot].facts.id, .init(holder: join, rule: side))
      return try links.filter { try isLinking($0) }.compactMap { link in
        try records[link].facts.reference(at: far).flatMap { try self.slot(of: $0, among: rule.targets) }
      }
    case .inverse: return []
    }
  }

  func isReleased(_ slot: Int, _ ordinal: Int) -> Bool { leaving.released[slot]?.contains(ordinal) ?? false }

  /// Whether a link is there, or would be if none of its sides were deleted by this save.
  private func isLinking(_ link: Int) throws -> Bool {
    let record = records[link]
    return try record.isVisible || (record.wasVisible || record.isInsertedHere) && isAlive(link)
  }

  /// `deleteDenied` if a rule stands against the end of a record, be it deleted or only going along; asked when
  /// everything has settled.
  func deniedDelete(of slot: Int) throws -> StoreError? {
    let rules = rules(of: slot)
    guard try isDenied(slot, rules) else { return nil }
    return StoreError(
      .deleteDenied,
      "a record of \(rules.entity.name) cannot be deleted while others refer to it under a rule of "
        + "deny: delete or change those first")
  }

  private func isDenied(_ slot: Int, _ rules: EntityRules) throws -> Bool {
    let isDeleted = records[slot].isDeletedHere && records[slot].facts.deleted == stamp
    guard try isDeleted || rules.hasDeny && goesAlong(slot) else { return false }
    for rule in rules.outgoing where !rule.isCascade && !terms.leavesTargets {
      if try destinations(of: slot, rule).contains(where: { records[$0].isVisible }) { return true }
    }
    // A delete with the newest stamp is void only by a living holder under a rule of deny.
    if isDeleted { return try isAlive(slot) }
    return try rules.incoming.contains { reference in
      try reference.rule.isDeny
        && currentHolders(of: records[slot].facts.id, reference).contains { records[$0].isVisible }
    }
  }

  /// Whether a record ends with this save by derived rules alone.
  func goesAlong(_ slot: Int) throws -> Bool {
    let record = records[slot]
    return try !record.isVisible && !record.isRemoved && (record.wasVisible || record.isInsertedHere)
      && goesWithThisSave(slot)
  }
}
