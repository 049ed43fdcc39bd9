/// Dead records whose facts leave the store: what a collection names, and how far its author had seen.
///
/// Only what ``covered`` covers goes; a fact that is later than the collection stays. Whether that may be done is
/// the caller's business: see the Collection article of RecordSync.
package struct Forgetting: Hashable, Sendable {
  package struct Record: Hashable, Sendable {
    package var entity: EntityNumber
    package var id: RecordID
    package init(entity: EntityNumber, id: RecordID) {
      self.entity = entity
      self.id = id
    }
  }
  package var records: [Record]
  package var covered: VersionVector
  /// Whether what stays is parts, written by authors that took the records for living: no insert is among it.
  package var leavesParts: Bool

  package init(records: [Record], covered: VersionVector, leavesParts: Bool = false) {
    self.records = records
    self.covered = covered
    self.leavesParts = leavesParts
  }
}

/// A record that this replica says again, whole and with the transaction's own stamp: for others that have forgotten
/// it, or will.
package struct Restatement: Hashable, Sendable {
  package var entity: EntityNumber
  package var id: RecordID
  /// The delete that the record has outlived.
  package var deleted: Stamp
  /// The vector that others have forgotten of the record, or never take: the unique values that it gave up by then are
  /// void.
  package var void: VersionVector

  package init(entity: EntityNumber, id: RecordID, deleted: Stamp, void: VersionVector) {
    self.entity = entity
    self.id = id
    self.deleted = deleted
    self.void = void
  }
}

extension RecordFacts {
  /// The rest of the facts without those that are forgotten.
  func without(_ forgetting: Forgetting, _ forks: ForkedStreams) -> RecordFacts {
    var kept = without { forks.covers(forgetting.covered, $0) }
    if forgetting.leavesParts { kept.isInserted = false }
    return kept
  }

  /// The rest of the facts without those whose stamps are void.
  package func without(_ isVoid: (Stamp) -> Bool) -> RecordFacts {
    var kept = self
    let onceInserts = onceInserts.filter { !isVoid($0.stamp) }
    kept.onceInserts = onceInserts
    // A later run of a forgotten effect is no life of its own: what it wrote goes with the first.
    kept.registers.removeAll { isVoid($0.stamp) || $0.isOnce && onceInserts.isEmpty }
    if let touch, isVoid(touch) { kept.touch = nil }
    if let deleted, isVoid(deleted) { kept.deleted = nil }
    // The flag has no stamp: a later touch of a record that everybody knew to be dead is an insert, or follows one.
    if kept.life == nil { kept.isInserted = false }
    return kept
  }

  /// Nothing is known.
  package var isBlank: Bool { !isInserted && life == nil && deleted == nil && registers.isEmpty }
}

/// The part of a commit that collections have in it.
struct CollectingState {
  /// Records that lose facts to a collection.
  var named: Set<RecordKey> = []
  /// Records of which this commit has taken facts away.
  var forgotten: Set<RecordKey> = []
  /// Records that this commit says again, and how.
  var restated: [RecordKey: Restatement] = [:]
}

extension CommitSession {
  /// Notes the records that lose facts, before others are said again: a row that is said again speaks not of these.
  func note(_ forgettings: [Forgetting]) {
    for record in forgettings.flatMap(\.records) {
      collecting.named.insert(RecordKey(entity: record.entity, id: record.id))
    }
  }

  /// Takes facts away. A record of which nothing is left is as unknown as one that never was.
  func forget(_ forgetting: Forgetting) throws {
    for key in forgetting.records where layout.catalogue.entities.indices.contains(key.entity) {
      guard let slot = try slot(of: key.id, entity: key.entity) else { continue }
      let row = records[slot].key
      let group = try currentClass(of: row)
      if group.isShared {
        try forgetMember(RecordKey(entity: key.entity, id: key.id), of: group, slot, forgetting)
        continue
      }
      guard row.id == key.id else { continue }
      let before = records[slot].facts
      let kept = before.without(forgetting, forks)
      guard kept != before else { continue }
      let holders = try holders(of: key.id, incoming: rules(of: slot).incoming)
      changeFacts(of: slot) { $0 = kept }
      try forgetWritten(row, forgetting)
      if kept.isBlank {
        records[slot].isRemoved = true
        records[slot].isVisible = false
        records[slot].dangling = []
      }
      try follow(slot, before: before)
      for holder in holders { enqueue(holder) }
    }
  }

  /// Takes facts away from a record that shares a row: one that wrote without knowing of the collection has joined it,
  /// while others had forgotten it already. The rest of the class is worked out anew.
  private func forgetMember(_ key: RecordKey, of group: AliasClass, _ slot: Int, _ forgetting: Forgetting) throws {
    // The row is made anew of its records below, so they must have all that is said again of it.
    try transcribeRestated(slot, to: group)
    guard try memberKey(key) == key, var member = try member(key) else { return }
    member.facts = member.facts.without(forgetting, forks)
    member.forget(forgetting.covered, forks)
    equality.members[key] = member
    for id in group.members { noteClaimant(RecordKey(entity: key.entity, id: id)) }
    let before = records[slot].facts
    let facts = try rowFacts(of: records[slot].key, group)
    guard facts != before else { return }
    collecting.forgotten.insert(records[slot].key)
    changeFacts(of: slot) { $0 = facts }
    try follow(slot, before: before)
  }

  private func forgetWritten(_ key: RecordKey, _ forgetting: Forgetting) throws {
    collecting.forgotten.insert(key)
    guard side.hasOriginals || side.hasPastWrites || equality.members[key] != nil, var member = try member(key) else {
      return
    }
    member.facts = member.facts.without(forgetting, forks)
    member.forget(forgetting.covered, forks)
    equality.members[key] = member
  }

  /// Gives all facts this transaction's stamp; values stay.
  func restate(_ restatement: Restatement) throws {
    guard let slot = try slot(of: restatement.id, entity: restatement.entity) else { return }
    let before = records[slot].facts
    let said = try restatable(before, of: slot)
    changeFacts(of: slot) { facts in
      for register in said.registers { facts.set(register.value, at: register.ordinal, stamp: stamp) }
      facts.touch = stamp
      facts.onceInserts = []
      facts.deleted = max(facts.deleted ?? .zero, restatement.deleted)
    }
    records[slot].isInsertedHere = before.isInserted
    collecting.restated[RecordKey(entity: restatement.entity, id: restatement.id)] = restatement
    try follow(slot, before: before)
  }
}
