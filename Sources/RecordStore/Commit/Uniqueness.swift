import LMDB

/// Unique values: who holds one, and what happens when two records do.
///
/// A record holds the values of its registers from its insert on, visible or not. A local insert of a value
/// that a living record holds becomes an update of that record; the values of the dead are free.
///
/// So of two holders that meet by a merge, either nobody knew of the other, and they become one for ever
/// (``unify(_:_:)``); or the author of the later one knew the earlier and found it dead, for else he would
/// have updated it. Then they stay two, and should the earlier come back to life, it stays hidden behind the
/// later as long as that is visible (*superseded*). Who knew what is in the contexts of the transactions and
/// never changes, so the order of arrivals cannot matter.
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

  /// Slots of the inserted records that hold a value now.
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

// Two records, one value.
extension CommitSession {
  /// Joins a record with others that hold one of its values; true if that happened, and evaluation starts anew.
  func unifyIfNeeded(_ slot: Int) throws -> Bool {
    if mutation == .noAlias { return false }
    // What the caller wrote was decided when it was written, or is refused in the end.
    guard isMerge || !records[slot].isWrittenHere, records[slot].isDirty || !records[slot].isVisible else {
      return false
    }
    for claim in try claims(of: records[slot].facts) {
      if mutation == .keyNotModuloAlias, rules(of: slot).hasReference(inKey: claim.index) { continue }
      for other in try holders(of: claim) where other != slot {
        if try areOrdered(slot, other, claim) { continue }
        try unify(slot, other)
        return true
      }
    }
    return false
  }

  /// Whether one of the two was given the value by somebody who knew that the other had it.
  private func areOrdered(_ left: Int, _ right: Int, _ claim: ClaimKey) throws -> Bool {
    // What stood beside each other in the store that is restored does so again.
    if isRestoring { return true }
    let others = try claimStamps(claim, right)
    return try claimStamps(claim, left).allSatisfy { stamp in
      try others.allSatisfy { other in try knew(min(stamp, other), whoWrote: max(stamp, other)) }
    }
  }

  private func knew(_ earlier: Stamp, whoWrote later: Stamp) throws -> Bool {
    if later == stamp, !isMerge { return true }
    return try ClaimOrder.knew(earlier, whoWrote: later) { stamp throws in
      try merged[stamp]?.context ?? HistoryTable(view, layout).transaction(with: stamp)?.context
    }
  }

  /// When the record, or each member of its alias class, got a value.
  private func claimStamps(_ claim: ClaimKey, _ slot: Int) throws -> Set<Stamp> {
    var stamps = classClaims[slot]?[claim] ?? []
    stamps.insert(ClaimOrder.stamp(of: claim, records[slot].facts, rules(of: slot).entity))
    guard hasAliases else { return stamps }
    let id = records[slot].facts.id
    return stamps.union(try ClassClaimTable.stamps(of: claim, id: id, in: layout.databases.classClaims, view))
  }

  /// Whether a visible record was given one of this one's values by somebody who knew this one.
  func isSuperseded(_ slot: Int) throws -> Bool {
    guard isMerge || hasClaims, !rules(of: slot).uniquePositions.isEmpty else { return false }
    // A local save that gives a visible record's value to another is refused, not decided.
    if !isMerge, records[slot].isVisible { return false }
    let id = records[slot].facts.id
    for claim in try claims(of: records[slot].facts) {
      let own = try claimStamps(claim, slot).max() ?? .zero
      for other in try holders(of: claim) where other != slot && records[other].isVisible {
        let rival = try claimStamps(claim, other).max() ?? .zero
        guard (own, id) < (rival, records[other].facts.id) else { continue }
        if try knew(own, whoWrote: rival) { return true }
      }
    }
    return false
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

  /// Makes two records one: the smaller id stands for both from now on, for ever.
  ///
  /// Facts are joined, references are rewritten to the canonical id with their stamps kept. Records whose
  /// compound keys contain such a reference come back to the queue, so equal keys below unite in turn.
  private func unify(_ left: Int, _ right: Int) throws {
    let isLeftSmaller = records[left].facts.id < records[right].facts.id
    let (kept, gone) = isLeftSmaller ? (left, right) : (right, left)
    let (keptID, goneID) = (records[kept].facts.id, records[gone].facts.id)
    let holders = try holders(of: goneID, incoming: layout.rules[records[gone].facts.entity].incoming)
    try reconsiderTargets(of: gone, mayDrop: true)
    try reconsiderRivals(of: gone)
    try reconsiderSuperseded(by: gone)

    for slot in [kept, gone] {
      for claim in try claims(of: records[slot].facts) {
        classClaims[kept, default: [:]][claim, default: []].formUnion(try claimStamps(claim, slot))
      }
    }
    joins.append(RecordJoin(kept: records[kept].facts, gone: records[gone].facts))
    aliases[goneID] = keptID
    records[gone].isRemoved = true
    records[gone].isVisible = false
    records[gone].isDirty = true
    var facts = records[gone].facts
    facts.id = keptID
    changeFacts(of: kept) { $0.join(facts) }
    if records[gone].isInsertedHere { records[kept].isInsertedHere = true }
    try redirect(kept, from: goneID, to: keptID)
    for holder in holders where holder != gone && mutation != .childrenNotFollowed {
      try redirect(holder, from: goneID, to: keptID)
    }
    for other in waiting.removeValue(forKey: goneID) ?? [] { enqueue(other) }
    try noteClaims(of: kept)
    try reconsiderTargets(of: kept, mayDrop: true)
    try reconsiderRivals(of: kept)
  }

  private func redirect(_ slot: Int, from gone: RecordID, to kept: RecordID) throws {
    guard !records[slot].isRemoved else { return }
    let ordinals = rules(of: slot).references.map(\.ordinal).filter { records[slot].facts.reference(at: $0) == gone }
    guard !ordinals.isEmpty else { return }
    let before = try claims(of: records[slot].facts).map { ($0.index, try claimStamps($0, slot)) }
    changeFacts(of: slot) { facts in
      for ordinal in ordinals {
        guard let register = facts.register(at: ordinal) else { continue }
        facts.set(.reference(kept), at: ordinal, stamp: register.stamp)
      }
    }
    // The same claims, under the new spelling of their keys.
    for claim in try claims(of: records[slot].facts) {
      for (index, stamps) in before where index == claim.index && stamps.count > 1 {
        classClaims[slot, default: [:]][claim, default: []].formUnion(stamps)
      }
    }
    try noteClaims(of: slot)
    try reconsiderRivals(of: slot)
  }

  func noteClaims(of slot: Int) throws {
    for claim in try claims(of: records[slot].facts) { claimed[claim, default: []].append(slot) }
  }
}
