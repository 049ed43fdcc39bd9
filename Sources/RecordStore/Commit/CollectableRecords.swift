import LMDB

/// Which dead records may leave the store without anybody seeing a difference, now or later.
///
/// A record may go if all its facts are inside a cut that everybody knows, it is dead by its own delete or goes
/// with a record that is, and no record that stays hangs on it: one that its absence would make wait instead of
/// being dead, or one whose life it decides. Never go: members of alias classes; records whose deletes are final
/// (forgotten, they could be inserted again); records of entities to which fields point that this store's schema does
/// not declare.
///
/// Costs one pass over the hidden records and one look-up of holders for each candidate.
struct CollectableRecords {
  private let session: CommitSession
  private let cut: VersionVector
  private let beforeMilliseconds: UInt64
  private var members: Set<Int> = []

  /// `beforeMilliseconds`: deletes with a later wall time stay.
  init(_ snapshot: borrowing StoreSnapshot, within cut: VersionVector, beforeMilliseconds: UInt64) throws {
    session = try CommitSession(reading: snapshot)
    self.cut = cut
    self.beforeMilliseconds = beforeMilliseconds
  }

  mutating func find() throws -> [Forgetting.Record] {
    try addCandidates()
    var hasChanged = true
    while hasChanged {
      let staying = try members.filter { try !mayGo($0) }
      members.subtract(staying)
      hasChanged = !staying.isEmpty
    }
    return members.map { Forgetting.Record(entity: session.records[$0].facts.entity, id: session.records[$0].facts.id) }
      .sorted { $0.entity != $1.entity ? $0.entity < $1.entity : $0.id < $1.id }
  }

  private mutating func addCandidates() throws {
    let kept = keptEntities
    let aliased = try aliasedIDs()
    var keys: [RecordKey] = []
    try session.view.forEachKey(in: session.layout.databases.hidden, startingWith: []) { bytes, _ in
      guard let key = HiddenTable.recordKey(bytes), !kept.contains(key.entity), !aliased.contains(key.id) else {
        return
      }
      keys.append(key)
    }
    for key in keys {
      guard let slot = try session.slot(of: key.id, entity: key.entity) else { continue }
      let facts = session.records[slot].facts
      guard facts.stamps.allSatisfy({ session.forks.covers(cut, $0) }), try session.isDead(slot) else { continue }
      if let deleted = facts.deleted, deleted.wallMilliseconds > beforeMilliseconds { continue }
      members.insert(slot)
    }
  }

  private func mayGo(_ slot: Int) throws -> Bool {
    let record = session.records[slot].facts
    if try record.deleted == nil || session.isAlive(slot) {
      guard record.isInserted, try goesWithAnother(slot) else { return false }
    }
    for reference in session.rules(of: slot).incoming where reference.rule.hides || reference.rule.isDeny {
      guard try session.currentHolders(of: record.id, reference).allSatisfy(members.contains) else { return false }
    }
    return true
  }

  /// Whether a record without a delete of its own hangs on one that goes, and keeps none alive that stays.
  private func goesWithAnother(_ slot: Int) throws -> Bool {
    let rules = session.rules(of: slot)
    var isTaken = false
    for rule in rules.references {
      guard let target = session.records[slot].facts.reference(at: rule.ordinal),
        let above = try session.slot(of: target, among: rule.targets)
      else { continue }
      let goes = members.contains(above)
      if goes, rule.isCascade || rules.entity.isJoin && rule.isRequired { isTaken = true }
      if !goes, rule.isCascade || rule.isDeny, session.records[above].facts.deleted != nil { return false }
    }
    return isTaken
  }

  /// Entities whose rules forbid it, or are not fully known here.
  private var keptEntities: Set<EntityNumber> {
    let catalogue = session.layout.catalogue
    var kept = Set(catalogue.entities.filter { !$0.isDeclared || $0.deleteIsFinal }.map(\.number))
    for entity in catalogue.entities {
      for field in entity.fields where field.type == .reference && !(entity.isDeclared && field.isDeclared) {
        kept.formUnion(field.destination.map(catalogue.numbers) ?? [])
      }
    }
    return kept
  }

  private func aliasedIDs() throws -> Set<RecordID> {
    var ids: Set<RecordID> = []
    try session.view.forEachKey(in: session.layout.databases.aliases, startingWith: []) { key, value in
      for bytes in [key, value] {
        if let id = RecordID(bytes: bytes) { ids.insert(id) }
      }
    }
    return ids
  }
}

extension CommitSession {
  /// A session that only asks.
  convenience init(reading snapshot: borrowing StoreSnapshot) throws {
    try self.init(snapshot.layout, snapshot.transaction, expectedCount: 0)
  }
}

extension StoreSnapshot {
  /// The dead records that may leave the store; see ``CollectableRecords``.
  package func collectableRecords(
    within cut: VersionVector, beforeMilliseconds: UInt64
  ) throws -> [Forgetting.Record] {
    var records = try CollectableRecords(self, within: cut, beforeMilliseconds: beforeMilliseconds)
    return try records.find()
  }

  /// The dead of some records: those that are deleted, or lack something deleted that they cannot be without.
  package func dead(among records: [Forgetting.Record]) throws -> Set<Forgetting.Record> {
    let session = try CommitSession(reading: self)
    var found: Set<Forgetting.Record> = []
    for record in records {
      guard let slot = try session.slot(of: record.id, entity: record.entity) else { continue }
      if try !session.records[slot].isVisible && session.isDead(slot) { found.insert(record) }
    }
    return found
  }

  /// The vector that the author of a transaction had seen; nil if this store's history does not have it.
  package func context(of dot: Dot) throws -> VersionVector? {
    let table = HistoryTable(transaction, layout)
    guard let number = try table.number(of: dot) else { return nil }
    return try table.entry(number)?.transactions.first { $0.dot == dot }?.context
  }

  /// The stamp of a transaction; nil if the store does not know it.
  package func stamp(of dot: Dot) throws -> Stamp? {
    try HistoryTable(transaction, layout).stamp(of: dot)
  }
}
