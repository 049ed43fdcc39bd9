import LMDB

/// Unique values: which row holds one, and what happens when two rows do.
///
/// A row holds the values of its registers from its insert on, visible or not. A local insert of a value that a
/// living row holds becomes an update of it; the values of the dead are free.
///
/// Of two rows that meet in a value by a merge, either nobody knew of the other, and they are one alias class with
/// one row (``ClaimPairs``). Or the author of the later one knew the earlier and found it dead, for else he would
/// have updated it. Then they stay two, and should the earlier come back to life, it stays hidden behind the later
/// as long as that is visible (*superseded*). But a record that can only be seen, or have the value, while the other
/// is seen *leans* on it and takes no place from it, whatever the stamps say: hiding the other would end its own claim.
extension CommitSession {
  /// The unique values that a record's registers hold. A null component holds nothing.
  func claims(of facts: RecordFacts) throws -> [ClaimKey] {
    let rules = layout.rules[facts.entity]
    guard facts.isInserted, !rules.uniquePositions.isEmpty else { return [] }
    return rules.uniquePositions.compactMap { position in
      let index = rules.indexes[position].index
      var bytes: [UInt8] = []
      let hasNull = IndexKey.append(index, to: &bytes) { facts.value(of: rules.entity.fields[$0]) }
      return hasNull ? nil : ClaimKey(index: index.number, bytes: bytes)
    }
  }

  /// The record that a local insert of this value must update instead: a visible one, or one that only waits.
  func localHolder(of claim: ClaimKey, except id: RecordID) throws -> Int? {
    let others = try holders(of: claim).filter { slot in
      records[slot].facts.id != id && records[slot].facts.deleted != stamp
    }
    return try others.first { records[$0].isVisible || records[$0].isInsertedHere } ?? others.first { try !isDead($0) }
  }

  /// Slots of the inserted rows that hold a value now.
  private func holders(of claim: ClaimKey) throws -> [Int] {
    var found = claimed[claim] ?? []
    let entity = try entity(ofIndex: claim.index)
    if !emptyIndexes.contains(claim.index) {
      let stored = try view.get(layout.databases.index(claim.index), key: claim.bytes).flatMap { RecordID(bytes: $0) }
      if let stored, let slot = try slot(of: stored, entity: entity) { found.append(slot) }
    }
    if hasClaims {
      let ids = try view.recordIDs(in: layout.databases.claims, startingWith: ClaimTable.prefix(claim))
      for id in ids {
        if let slot = try slot(of: id, entity: entity) { found.append(slot) }
      }
    }
    var seen: Set<Int> = []
    return try found.filter { slot in
      try seen.insert(slot).inserted && !records[slot].isRemoved && claims(of: records[slot].facts).contains(claim)
    }
  }

  private func entity(ofIndex number: Int) throws -> EntityNumber {
    let entity = layout.catalogue.entities.first { $0.indexes.contains { $0.number == number } }
    guard let entity else { preconditionFailure("a claim names an index of its catalogue") }
    return entity.number
  }

  /// Whether a record, or one that it cannot be without, was deleted.
  func isDead(_ slot: Int) throws -> Bool {
    try !isAlive(slot) || hasDeadAncestor(slot)
  }
}

// Two rows, one value.
extension CommitSession {
  /// Whether a visible row got one of this one's values later. Where equal values do not make two rows one, the
  /// later is the one that was made in place of the other.
  func isSuperseded(_ slot: Int) throws -> Bool {
    guard isMerge || hasClaims, !rules(of: slot).uniquePositions.isEmpty else { return false }
    for claim in try claims(of: records[slot].facts) {
      guard try shows(claim, slot) || leans(slot, on: slot, by: claim) else { continue }
      for other in try holders(of: claim) where other != slot {
        if try supersedes(other, slot, claim) { return true }
      }
    }
    return false
  }

  private func supersedes(_ other: Int, _ slot: Int, _ claim: ClaimKey) throws -> Bool {
    // A local save that gives a visible record's value to another is refused, not decided.
    let isWritten = records[slot].isWrittenHere || records[other].isWrittenHere
    if !isMerge, isWritten, records[slot].isVisible { return false }
    let leans = (try leans(slot, on: other, by: claim), try leans(other, on: slot, by: claim))
    if leans.0 != leans.1 {
      guard leans.0 else { return false }
    } else {
      let entity = rules(of: slot).entity
      let own = ClaimOrder.stamp(of: claim, records[slot].facts, entity)
      let rival = ClaimOrder.stamp(of: claim, records[other].facts, entity)
      guard (own, records[slot].facts.id) < (rival, records[other].facts.id) else { return false }
    }
    // Each would hide what the other needs: only what does not depend on sight can decide.
    if leans == (true, true) { return try records[other].facts.isInserted && isAlive(other) }
    return try records[other].isVisible && shows(claim, other)
  }

  /// Whether a record, or its claim, needs another one to be visible: along the references of the key, and then along
  /// references that hide. Few records have any; the way ends with the first that has none.
  private func leans(_ slot: Int, on other: Int, by claim: ClaimKey) throws -> Bool {
    guard let index = rules(of: slot).entity.indexes.first(where: { $0.number == claim.index }) else { return false }
    let ordinals = Set(index.components.map(\.ordinal))
    var pending = try supports(of: slot) { $0.hides || ordinals.contains($0.ordinal) }
    var visited: Set<Int> = []
    while let current = pending.popLast() {
      if current == other { return true }
      if visited.insert(current).inserted { pending += try supports(of: current, where: \.hides) }
    }
    return false
  }

  private func supports(of slot: Int, where matches: (ReferenceRule) -> Bool) throws -> [Int] {
    try rules(of: slot).references.filter(matches).compactMap { rule in
      try reference(of: slot, rule).flatMap { try self.slot(of: $0, among: rule.targets) }
    }
  }

  /// Whether readers would see the value: a key with a reference that reads as nil is nobody's.
  private func shows(_ claim: ClaimKey, _ slot: Int) throws -> Bool {
    let rules = rules(of: slot)
    guard let index = rules.entity.indexes.first(where: { $0.number == claim.index }) else { return false }
    return try index.components.allSatisfy { component in
      guard let rule = rules.reference(at: component.ordinal),
        records[slot].facts.reference(at: component.ordinal) != nil
      else { return true }
      guard let target = try reference(of: slot, rule) else { return false }
      return try isVisible(target, among: rule.targets) && !hasLost(slot, rule, target)
    }
  }

  /// Puts the records on the queue that this one supersedes, or did.
  func reconsiderSuperseded(by slot: Int, earlier: RecordFacts? = nil) throws {
    guard isMerge || hasClaims, !rules(of: slot).uniquePositions.isEmpty else { return }
    let facts = [records[slot].facts, records[slot].original, earlier].compactMap { $0 }
    let claims = Set(try facts.flatMap { try self.claims(of: $0) })
    for claim in claims {
      for other in try holders(of: claim) where other != slot { enqueue(other) }
    }
  }

  func noteClaims(of slot: Int) throws {
    for claim in try claims(of: records[slot].facts) { claimed[claim, default: []].append(slot) }
  }
}
