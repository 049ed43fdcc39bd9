import LMDB

/// Unique values: who holds one, and what happens when two records do.
///
/// A record holds the values of its registers from its insert on, visible or not; a dead record's values
/// are free for those who know of its death. Local inserts of a held value become updates of the holder.
/// Two holders that meet by a merge become one (``unify(_:_:)``), except where one is dead and the author
/// of the other knew it: he would have updated it, had it lived for him.
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
    try holders(of: claim).first { slot in
      guard records[slot].facts.id != id, records[slot].facts.deleted != stamp else { return false }
      return try records[slot].isVisible || records[slot].isInsertedHere || !isDead(slot)
    }
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
    // What the caller wrote was decided when it was written, or is refused in the end.
    guard isMerge || !records[slot].isWrittenHere, records[slot].isDirty || !records[slot].isVisible else {
      return false
    }
    for claim in try claims(of: records[slot].facts) {
      for other in try holders(of: claim) where other != slot {
        if try mayCoexist(slot, other, claim) { continue }
        try unify(slot, other)
        return true
      }
    }
    return false
  }

  private func mayCoexist(_ left: Int, _ right: Int, _ claim: ClaimKey) throws -> Bool {
    if isRestoring { return try isDead(left) || isDead(right) }
    if try isDead(left), try knew(claim, of: left, authorOf: right) { return true }
    return try isDead(right) && knew(claim, of: right, authorOf: left)
  }

  /// Whether he who gave `author` the value had seen that `known` had it.
  private func knew(_ claim: ClaimKey, of known: Int, authorOf author: Int) throws -> Bool {
    let earlier = claimStamp(claim, known)
    let later = claimStamp(claim, author)
    if earlier == .zero || later == stamp && !isMerge { return true }
    if earlier.replica == later.replica { return earlier <= later }
    let context = try merged[later]?.context ?? HistoryTable(view, layout).transaction(with: later)?.context
    // Where history has been trimmed both have long been everywhere.
    return context?.covers(earlier) ?? (earlier < later)
  }

  /// When a record got a value: the newest write of the key's fields.
  private func claimStamp(_ claim: ClaimKey, _ slot: Int) -> Stamp {
    let indexes = rules(of: slot).entity.indexes
    guard let index = indexes.first(where: { $0.number == claim.index }) else { return .zero }
    return index.components.compactMap { records[slot].facts.register(at: $0.ordinal)?.stamp }.max() ?? .zero
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

    aliases[goneID] = keptID
    records[gone].isRemoved = true
    records[gone].isVisible = false
    records[gone].isDirty = true
    var facts = records[gone].facts
    facts.id = keptID
    changeFacts(of: kept) { $0.join(facts) }
    if records[gone].isInsertedHere { records[kept].isInsertedHere = true }
    try redirect(kept, from: goneID, to: keptID)
    for holder in holders where holder != gone { try redirect(holder, from: goneID, to: keptID) }
    for other in waiting.removeValue(forKey: goneID) ?? [] { enqueue(other) }
    try noteClaims(of: kept)
    try reconsiderTargets(of: kept, mayDrop: true)
    try reconsiderRivals(of: kept)
  }

  private func redirect(_ slot: Int, from gone: RecordID, to kept: RecordID) throws {
    guard !records[slot].isRemoved else { return }
    let ordinals = rules(of: slot).references.map(\.ordinal).filter { records[slot].facts.reference(at: $0) == gone }
    guard !ordinals.isEmpty else { return }
    changeFacts(of: slot) { facts in
      for ordinal in ordinals {
        guard let register = facts.register(at: ordinal) else { continue }
        facts.set(.reference(kept), at: ordinal, stamp: register.stamp)
      }
    }
    try noteClaims(of: slot)
    try reconsiderRivals(of: slot)
  }

  func noteClaims(of slot: Int) throws {
    for claim in try claims(of: records[slot].facts) { claimed[claim, default: []].append(slot) }
  }
}
