/// Why readers see a record, or do not.
package enum RecordStanding: Hashable, Sendable {
  /// Alive. `overriding`: the newest activity by which it outlives a delete.
  case alive(overriding: Stamp?)
  /// Its insert, or that of a record that it cannot be without, was not seen yet.
  case waiting
  /// Deleted, or behind another record that was given its unique value since, or without a record that it cannot be
  /// without and that is one of these. `deleted`: the write by which; `of`: the record that it wrote.
  case dead(deleted: Stamp, of: RecordID)
}

/// Asks a snapshot why records are seen or not, by the same rules that a commit settles them by.
///
/// Lives within one snapshot, on its thread; keeps every record that it has looked at. Cost of a question: the
/// record and those that it cannot be without; for a deleted record also those that refer to it under cascade or
/// deny.
package final class RecordStandings {
  private let session: CommitSession
  private lazy var derivation = ClassDerivation(session)

  package init(in snapshot: borrowing StoreSnapshot) throws {
    session = try CommitSession(
      snapshot.layout, snapshot.transaction, SessionTerms(isRestoring: true), expectedCount: 0)
  }

  /// A one-to-one reference that reads nil because a later one of another record leads to the same target.
  package struct LostReference: Hashable, Sendable {
    package var ordinal: Int
    package var target: RecordID
    package var stamp: Stamp
    package var winner: RecordID
    package var winningStamp: Stamp

    package init(ordinal: Int, target: RecordID, stamp: Stamp, winner: RecordID, winningStamp: Stamp) {
      self.ordinal = ordinal
      self.target = target
      self.stamp = stamp
      self.winner = winner
      self.winningStamp = winningStamp
    }
  }

  /// Whether records of an entity can be unseen, or read nil, for reasons outside themselves.
  package func dependsOnOthers(_ entity: EntityNumber) -> Bool {
    let rules = session.layout.rules[entity]
    return rules.dependsOnOthers || !rules.uniquePositions.isEmpty
  }

  /// Whether the entity has records below it, which go with its own or wait for them.
  package func hasDependents(_ entity: EntityNumber) -> Bool {
    session.layout.rules[entity].incoming.contains { $0.rule.hides }
  }

  /// Nil if nothing is known of the record.
  package func standing(of id: RecordID, entity: EntityNumber) throws -> RecordStanding? {
    guard let slot = try session.slot(of: id, entity: entity) else { return nil }
    let facts = session.records[slot].facts
    let activity = try session.activity(overriding: slot)
    if let deleted = facts.deleted, activity == nil { return .dead(deleted: deleted, of: facts.id) }
    if let end = try session.successor(of: slot) { return .dead(deleted: end.write, of: end.record) }
    let (end, isWaiting, _) = try session.whatIsMissing(above: slot)
    if let end { return .dead(deleted: end.write, of: end.record) }
    return isWaiting || !facts.isInserted ? .waiting : .alive(overriding: activity)
  }

  /// The record that stands in the place of a living one, since it was given its unique value later by an author that
  /// had found this one dead; nil if none does.
  package func successor(of id: RecordID, entity: EntityNumber) throws -> RecordID? {
    guard let slot = try session.slot(of: id, entity: entity), try session.isAlive(slot) else { return nil }
    return try session.successor(of: slot)?.record
  }

  /// The targets of a record's references that another record stands for, each with that one.
  package func successors(of facts: RecordFacts) throws -> [RecordID: RecordID] {
    var found: [RecordID: RecordID] = [:]
    for rule in session.layout.rules[facts.entity].references {
      guard let target = facts.reference(at: rule.ordinal) else { continue }
      for entity in rule.targets {
        if let successor = try successor(of: target, entity: entity) { found[target] = successor }
      }
    }
    return found
  }

  /// Every known record below this one, at any depth, that cannot be without the one above it.
  package func dependents(of id: RecordID, entity: EntityNumber) throws -> [(entity: EntityNumber, id: RecordID)] {
    var found: [RecordKey] = []
    var seen: Set<RecordKey> = [RecordKey(entity: entity, id: id)]
    var pending = [RecordKey(entity: entity, id: id)]
    while let above = pending.popLast() {
      for reference in session.layout.rules[above.entity].incoming where reference.rule.hides {
        for holder in try session.currentHolders(of: above.id, reference)
        where try !session.isVoid(holder, reference.rule) {
          let key = session.records[holder].key
          guard seen.insert(key).inserted else { continue }
          found.append(key)
          pending.append(key)
        }
      }
    }
    return found.map { ($0.entity, $0.id) }
  }

  /// Ids of records that this one cannot be without, and of which nothing is known: they never came, or are forgotten.
  package func unknownAbove(_ id: RecordID, entity: EntityNumber) throws -> [RecordID] {
    guard let slot = try session.slot(of: id, entity: entity) else { return [] }
    return try session.whatIsMissing(above: slot).unknown
  }

  /// Dead records that this one cannot be without, the outermost first: what must live again before it can.
  package func deadAbove(_ id: RecordID, entity: EntityNumber) throws -> [RecordFacts] {
    guard let slot = try session.slot(of: id, entity: entity) else { return [] }
    return try session.deadRecords(above: slot).map { session.records[$0].facts }
  }

  /// Other records with a reference to the target of one of this one's one-to-one references.
  package func rivals(of id: RecordID, entity: EntityNumber) throws -> [RecordID] {
    guard let slot = try session.slot(of: id, entity: entity) else { return [] }
    return try session.layout.rules[entity].references.filter(\.isExclusive).flatMap { rule -> [RecordID] in
      guard let target = session.records[slot].facts.reference(at: rule.ordinal) else { return [] }
      let reference = EntityRules.Incoming(holder: entity, rule: rule)
      return try session.currentHolders(of: target, reference).map { session.records[$0].facts.id }
    }.filter { $0 != session.records[slot].facts.id }
  }

  /// Records above this one by references that can make it part of itself.
  package func container(of id: RecordID, entity: EntityNumber) throws -> [(entity: EntityNumber, id: RecordID)] {
    guard session.layout.hasContainingRules, let slot = try session.slot(of: id, entity: entity) else { return [] }
    return try session.recordsAbove(slot).map { (session.records[$0].facts.entity, session.records[$0].facts.id) }
  }

  /// References that read nil because they would put the record below itself.
  package func voidReferences(of id: RecordID, entity: EntityNumber) throws -> [LostReference] {
    guard session.layout.hasContainingRules, let slot = try session.slot(of: id, entity: entity) else { return [] }
    return try session.voidReferences(of: slot).sorted { $0.key < $1.key }.compactMap { ordinal, rival in
      guard let register = session.records[slot].facts.register(at: ordinal),
        case .reference(let target) = register.value
      else { return nil }
      return LostReference(
        ordinal: ordinal, target: target, stamp: register.stamp, winner: session.records[rival.child].facts.id,
        winningStamp: rival.stamp)
    }
  }

  /// Whether the author of a write had seen an earlier one of another record, but not that the two records are one.
  /// Then it did not put its value in the place of the other.
  package func isStranger(
    _ later: Stamp, in writer: RecordID, to earlier: Stamp, in other: RecordID, entity: EntityNumber
  ) throws -> Bool {
    guard earlier != .zero, try session.knew(earlier, whoWrote: later) else { return false }
    return try !derivation.wereOne(writer, other, of: entity, for: later)
  }

  package func lostReferences(of id: RecordID, entity: EntityNumber) throws -> [LostReference] {
    guard let slot = try session.slot(of: id, entity: entity) else { return [] }
    return try session.layout.rules[entity].references.compactMap { rule in
      guard let register = session.records[slot].facts.register(at: rule.ordinal),
        case .reference(let target) = register.value,
        let rival = try session.winningRival(of: slot, rule, target)
      else { return nil }
      let winner = session.records[rival].facts
      return LostReference(
        ordinal: rule.ordinal, target: target, stamp: register.stamp, winner: winner.id,
        winningStamp: winner.register(at: rule.ordinal)?.stamp ?? .zero)
    }
  }
}

extension CommitSession {
  /// The write that took a record from sight, and the record that it wrote.
  fileprivate typealias End = (write: Stamp, record: RecordID)

  /// The last of the rows that were made in place of this one.
  fileprivate func successor(of slot: Int) throws -> End? {
    guard side.hasClaims else { return nil }
    var last: End?
    _ = try superseders(of: slot) { rival, write in
      let end = (write, records[rival].facts.id)
      if last.map({ $0 < end }) ?? true { last = end }
      return true
    }
    return last
  }

  /// The newest end among the nearest dead of the records that this one cannot be without, whether one never came, and
  /// the ids of those of which nothing is known.
  fileprivate func whatIsMissing(above slot: Int) throws -> (end: End?, isWaiting: Bool, unknown: [RecordID]) {
    var ends: [End] = []
    var unknown: [RecordID] = []
    var isWaiting = false
    var visited: Set<Int> = [slot]
    var pending = [slot]
    while let current = pending.popLast() {
      for rule in rules(of: current).references where rule.hides {
        guard let target = try reference(of: current, rule) else {
          isWaiting = isWaiting || rule.isRequired
          continue
        }
        guard let above = try self.slot(of: target, among: rule.targets) else {
          isWaiting = true
          unknown.append(target)
          continue
        }
        guard visited.insert(above).inserted else { continue }
        if try !isAlive(above, assuming: visited) {
          ends.append((records[above].facts.deleted ?? .zero, records[above].facts.id))
        } else if let end = try successor(of: above) {
          ends.append(end)
        } else {
          isWaiting = isWaiting || !records[above].facts.isInserted
          pending.append(above)
        }
      }
    }
    return (ends.max { $0 < $1 }, isWaiting, unknown)
  }

  /// Dead records that this one cannot be without: what a record cannot be without comes before it.
  fileprivate func deadRecords(above slot: Int) throws -> [Int] {
    var found: [Int] = []
    var visited: Set<Int> = []
    // A record comes once to be looked at, and again when all that it cannot be without has been.
    var pending: [(slot: Int, isLookedAt: Bool)] = [(slot, false)]
    while let (current, isLookedAt) = pending.popLast() {
      if isLookedAt {
        if try current != slot && !isAlive(current) { found.append(current) }
        continue
      }
      guard visited.insert(current).inserted else { continue }
      pending.append((current, true))
      for rule in rules(of: current).references.reversed() where rule.hides {
        guard let target = try reference(of: current, rule), let above = try self.slot(of: target, among: rule.targets)
        else { continue }
        pending.append((above, false))
      }
    }
    return found
  }
}
