import LMDB

/// References that read nil because their target is dead, where the next schema lets records go with that target.
///
/// Under a rule of nullify a record outlives its target and keeps the reference, which leads there again should the
/// target come back. A rule of cascade hides the record as long as the target is dead. A schema that changes the one
/// into the other would take records away that were to be seen, and no delete was meant to take along. So such a
/// reference lets go before: it becomes nil, by an ordinary change, as the rule of nullify says.
///
/// A target that may still come is another matter: there the record waits for it, as under cascade it does on every
/// device.
struct DeadReferences {
  /// As the store is.
  let layout: StoreLayout
  /// Those of the next schema.
  let rules: [EntityRules]

  private struct Reference {
    let holder: RecordKey
    let rule: ReferenceRule
    let target: RecordID
    let written: Stamp?
  }

  /// Reads all records with such references; holds those whose references read nil.
  func releases(_ snapshot: borrowing StoreSnapshot) throws -> [MigrationWork.Release] {
    var releases: [MigrationWork.Release] = []
    for entity in layout.catalogue.entities where entity.isDeclared && !entity.isJoin {
      let rules = hidingRules(of: entity.number)
      guard !rules.isEmpty else { continue }
      let session = try CommitSession(reading: snapshot)
      let dead = try references(rules, of: entity.number, snapshot).filter { try isDead($0, session, snapshot) }
      releases += Dictionary(grouping: dead, by: \.holder).sorted { $0.key < $1.key }.map { key, references in
        MigrationWork.Release(key: key, ordinals: references.map(\.rule.ordinal))
      }
    }
    return releases
  }

  /// The present rules of references that hide their records from now on.
  private func hidingRules(of entity: EntityNumber) -> [ReferenceRule] {
    layout.rules[entity].references.filter { rule in
      guard !rule.hides, !rule.needsTarget, let changed = rules[entity].reference(at: rule.ordinal) else {
        return false
      }
      return changed.isCascade && !changed.isRequired
    }
  }

  private func references(
    _ rules: [ReferenceRule], of entity: EntityNumber, _ snapshot: borrowing StoreSnapshot
  ) throws -> [Reference] {
    var found: [Reference] = []
    let records = layout.databases.records[entity]
    try snapshot.transaction.forEachKey(in: records, startingWith: []) { id, bytes in
      let record = RecordView(bytes)
      guard let id = RecordID(bytes: id) else { return }
      for rule in rules where record.reference(at: rule.ordinal) == nil {
        guard let target = record.registerReference(at: rule.ordinal) else { continue }
        found.append(
          Reference(
            holder: RecordKey(entity: entity, id: id), rule: rule, target: target,
            written: record.stamp(at: rule.ordinal)))
      }
    }
    return found
  }

  private func isDead(
    _ reference: Reference, _ session: CommitSession, _ snapshot: borrowing StoreSnapshot
  ) throws -> Bool {
    if let slot = try session.slot(of: reference.target, among: reference.rule.targets) {
      // A one-to-one that another record took reads nil, too.
      if session.records[slot].isVisible { return false }
      let facts = session.records[slot].facts
      if facts.isInserted || facts.deleted != nil { return try session.isDead(slot) }
    }
    // Nothing is known of it: a collection took it away, unless the author of the reference had seen what has not come.
    guard let written = reference.written,
      let context = try ClaimOrder.context(of: written, layout, snapshot.transaction)
    else { return true }
    let seen = try snapshot.versionVector
    return context.entries.allSatisfy { replica, entry in seen.sequence(of: replica) >= entry.sequence }
  }
}
