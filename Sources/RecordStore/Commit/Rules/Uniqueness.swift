import LMDB

/// Unique values: which row holds one, and what happens when two rows do.
///
/// A row holds the values of its registers from its insert on, visible or not. A local insert of a value that a
/// living row holds becomes an update of it; the values of the dead are free.
///
/// Two rows may meet in a value by a merge. Either nobody knew of the other, and they are one alias class with
/// one row (``ClaimPairs``). Or the author of the later one knew the earlier and found it dead, for else it would
/// have updated it. Then they stay two, and should the earlier come back to life, it stays hidden behind the later
/// as long as that is visible (*superseded*).
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
    let isTaken = { [self] (slot: Int) throws -> Bool in
      // A record that this save has made may still wait for what it needs; but not for what the save deletes.
      try records[slot].isVisible || records[slot].isInsertedHere && !goesAlong(slot)
    }
    return try others.first(where: isTaken) ?? others.first { try !isDead($0) }
  }

  /// Slots of the inserted rows that hold a value now.
  func holders(of claim: ClaimKey) throws -> [Int] {
    var found = claimed[claim] ?? []
    let entity = try entity(ofIndex: claim.index)
    if !lookUps.emptyIndexes.contains(claim.index) {
      let stored = try view.get(layout.databases.index(claim.index), key: claim.bytes).flatMap { RecordID(bytes: $0) }
      if let stored, let slot = try slot(of: stored, entity: entity) { found.append(slot) }
    }
    if side.hasClaims {
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
  func isSuperseded(_ slot: Int) throws -> Bool { try superseders(of: slot) { _, _ in false } }

  /// Whether the rules of unique values ask which of two rows is visible.
  var decidesValues: Bool { isMerge || side.hasClaims }

  /// Lends the visible rows that got one of this one's values later, each with the write by which it did, until `body`
  /// returns false; returns whether there is one. In a circle of losses it may be one that is not visible itself.
  func superseders(of slot: Int, _ body: (_ rival: Int, _ write: Stamp) throws -> Bool) throws -> Bool {
    guard decidesValues, !rules(of: slot).uniquePositions.isEmpty else { return false }
    let entity = rules(of: slot).entity
    let id = records[slot].facts.id
    var isSuperseded = false
    for claim in try claims(of: records[slot].facts) {
      let own = ClaimOrder.stamp(of: claim, records[slot].facts, entity)
      for other in try holders(of: claim) where other != slot {
        // A local save that gives a visible record's value to another is refused, not decided.
        let isWritten = records[slot].isWrittenHere || records[other].isWrittenHere
        if !isMerge, isWritten, records[slot].isVisible { continue }
        let rival = ClaimOrder.stamp(of: claim, records[other].facts, entity)
        guard (own, id) < (rival, records[other].facts.id) else { continue }
        settling.contested.insert(slot)
        guard records[other].isVisible, try shows(claim, slot, taking: id), try shows(claim, other, taking: id) else {
          continue
        }
        isSuperseded = true
        guard try body(other, rival) else { return true }
      }
    }
    guard !isSuperseded, !records[slot].isVisible, let found = try lossCircle(of: slot)?.superseder(of: slot) else {
      return isSuperseded
    }
    _ = try body(found.slot, found.write)
    return true
  }

  /// Whether readers would see the value: a key with a reference that reads as nil is nobody's.
  ///
  /// `assumed`: the record about which it is asked is taken for visible, and with it what needs it alone. Else one
  /// whose own key names it, or what is seen only with it, would be hidden because it is visible.
  private func shows(_ claim: ClaimKey, _ slot: Int, taking assumed: RecordID) throws -> Bool {
    let rules = rules(of: slot)
    guard let index = rules.entity.indexes.first(where: { $0.number == claim.index }) else { return false }
    return try index.components.allSatisfy { component in
      guard let rule = rules.reference(at: component.ordinal),
        records[slot].facts.reference(at: component.ordinal) != nil
      else { return true }
      guard let target = try reference(of: slot, rule), try !hasLost(slot, rule, target) else { return false }
      if try isVisible(target, among: rule.targets) { return true }
      return try wouldShow(target, among: rule.targets, taking: assumed)
    }
  }

  /// Whether a target that is not visible would be if `assumed` was.
  private func wouldShow(_ target: RecordID, among targets: [EntityNumber], taking assumed: RecordID) throws -> Bool {
    var isMet = false
    var visited: Set<Int> = []
    var pending = [(id: target, targets: targets)]
    while let (id, targets) = pending.popLast() {
      if id == assumed { isMet = true }
      if try id == assumed || isVisible(id, among: targets) { continue }
      guard let slot = try slot(of: id, among: targets) else { return false }
      guard visited.insert(slot).inserted else { continue }
      guard records[slot].facts.isInserted, !records[slot].isRemoved, try isAlive(slot) else { return false }
      for above in rules(of: slot).references where above.hides {
        if let target = try reference(of: slot, above) {
          pending.append((target, above.targets))
        } else if above.isRequired {
          return false
        }
      }
    }
    return isMet
  }

  /// Puts the records on the queue that this one supersedes, or did.
  func reconsiderSuperseded(by slot: Int, earlier: RecordFacts? = nil) throws {
    guard decidesValues, !rules(of: slot).uniquePositions.isEmpty else { return }
    let facts = [records[slot].facts, records[slot].original, earlier].compactMap { $0 }
    let claims = Set(try facts.flatMap { try self.claims(of: $0) })
    for claim in claims {
      for other in try holders(of: claim) where other != slot { enqueue(other) }
    }
  }

  func noteClaims(of slot: Int) throws {
    for claim in try claims(of: records[slot].facts) {
      claimed[claim, default: []].append(slot)
      // A new record was taken with a value that was free; the rules decide between the two.
      if division.passed != nil { _ = try holders(of: claim) }
    }
  }
}
