import LMDB

/// Losses that depend on each other in a circle.
///
/// The queue asks of a loss whether its winner is visible now. In a circle more than one answer would stand, or none,
/// and the order of arrival would choose. So a record whose losses lead back to itself is worked out together with all
/// that decides about it, from facts alone (``Contests``).
extension CommitSession {
  /// The outcome of a circle of losses.
  struct LossCircle {
    /// The records whose losses depend on each other.
    let members: [Int]
    fileprivate let places: [Int: Int]
    fileprivate let slots: [Int]
    fileprivate let contests: Contests

    func isVisible(_ slot: Int) -> Bool { places[slot].map(contests.isVisible) ?? false }

    /// The record to which a reference is lost that counts as lost whether that record is visible or not.
    func winner(over slot: Int, ordinal: Int) -> Int? { decided(against: slot) { $0.ordinal == ordinal }?.winner }

    /// The record that got a unique value later, and counts as the one in place of this whether it is visible or not.
    func superseder(of slot: Int) -> (slot: Int, write: Stamp)? {
      decided(against: slot) { $0.ordinal == nil }.map { ($0.winner, $0.write) }
    }

    private func decided(
      against slot: Int, where isMeant: (Contests.DecidedLoss) -> Bool
    ) -> (winner: Int, write: Stamp)? {
      contests.decided.first { slots[$0.loser] == slot && isMeant($0) }.map { (slots[$0.winner], $0.write) }
    }
  }

  /// The circle of losses that a record is in; nil where none of its losses depends on itself. Cost: the records that
  /// decide about this one.
  func lossCircle(of slot: Int) throws -> LossCircle? {
    guard settling.contested.contains(slot), rules(of: slot).isContender else { return nil }
    // While the queue is worked off, facts stay as they are.
    guard settling.isSettling else { return try makeLossCircle(of: slot) }
    if let known = settling.circles[slot] { return known }
    let found = try makeLossCircle(of: slot)
    for member in found?.members ?? [slot] { settling.circles[member] = .some(found) }
    return found
  }

  private func makeLossCircle(of slot: Int) throws -> LossCircle? {
    guard try !rivalsAbove(slot, records[slot].facts).isEmpty else { return nil }
    var pending = try dependencies(of: slot)
    var edges = [slot: pending]
    while let current = pending.popLast() {
      if edges[current] != nil { continue }
      let next = try dependencies(of: current)
      edges[current] = next
      pending += next.filter { edges[$0] == nil }
    }
    return try circle(through: slot, edges)
  }

  private func circle(through slot: Int, _ edges: [Int: [Int]]) throws -> LossCircle? {
    var leading: [Int: [Int]] = [:]
    for (from, targets) in edges { for target in targets { leading[target, default: []].append(from) } }
    var members: Set<Int> = []
    var pending = [slot]
    while let current = pending.popLast() {
      for previous in leading[current] ?? [] where members.insert(previous).inserted { pending.append(previous) }
    }
    guard members.contains(slot) else { return nil }
    let slots = edges.keys.sorted()
    let places = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1, $0) })
    let refused = try valuesRefused(slots)
    let entrants = try slots.map { try entrant($0, places, without: refused) }
    return LossCircle(members: members.sorted(), places: places, slots: slots, contests: Contests(entrants))
  }

  /// Puts records on the queue that a circle of losses kept hidden of which this one was part by its `earlier` facts.
  /// They need not be its neighbours.
  func reconsiderCircles(of slot: Int, earlier: RecordFacts) throws {
    var pending = try rivalsAbove(slot, earlier)
    var visited: Set<Int> = [slot]
    while let current = pending.popLast() {
      guard visited.insert(current).inserted, try isContending(current) else { continue }
      pending += try dependencies(of: current)
      if !records[current].isVisible, try !rivalsAbove(current, records[current].facts).isEmpty { enqueue(current) }
    }
  }
}

// Whom a record's visibility depends on.
extension CommitSession {
  private func dependencies(of slot: Int) throws -> [Int] {
    let facts = records[slot].facts
    guard try isContending(slot) else { return [] }
    let targets = try rules(of: slot).references.filter { decides($0, slot) }.compactMap { rule in
      try reference(of: slot, rule).flatMap { try self.slot(of: $0, among: rule.targets) }
    }
    return try rivalsAbove(slot, facts) + targets
  }

  /// Inserted, alive, and each required reference set.
  func isContending(_ slot: Int) throws -> Bool {
    guard records[slot].facts.isInserted, !records[slot].isRemoved, try isAlive(slot) else { return false }
    return try rules(of: slot).references.allSatisfy { try !$0.isRequired || reference(of: slot, $0) != nil }
  }

  private func decides(_ rule: ReferenceRule, _ slot: Int) -> Bool {
    rule.hides || rules(of: slot).uniqueOrdinals.contains(rule.ordinal)
  }

  /// The records with a later claim on a target or a unique value that a record has by `facts`.
  private func rivalsAbove(_ slot: Int, _ facts: RecordFacts) throws -> [Int] {
    var found: [Int] = []
    // An optional reference that is lost hides nobody: where the winner is visible, so is the target.
    for rule in rules(of: slot).references
    where rule.isExclusive && (rule.isRequired || rules(of: slot).uniqueOrdinals.contains(rule.ordinal)) {
      guard let own = facts.register(at: rule.ordinal), case .reference(let target) = own.value else { continue }
      found += try laterHolders(of: target, rule, slot, own.stamp)
    }
    guard decidesValues, !rules(of: slot).uniquePositions.isEmpty else { return found }
    let entity = rules(of: slot).entity
    for claim in try claims(of: facts) {
      let own = (ClaimOrder.stamp(of: claim, facts, entity), facts.id)
      found += try holders(of: claim).filter { other in
        other != slot && (ClaimOrder.stamp(of: claim, records[other].facts, entity), records[other].facts.id) > own
      }
    }
    return found
  }
}

// The records as contests know them.
extension CommitSession {
  private func entrant(_ slot: Int, _ places: [Int: Int], without refused: Set<ClaimKey>) throws -> Contests.Entrant {
    let facts = records[slot].facts
    let rules = rules(of: slot)
    var targets: [Int: Int?] = [:]
    for rule in rules.references {
      guard let id = try reference(of: slot, rule) else { continue }
      targets[rule.ordinal] = .some(try self.slot(of: id, among: rule.targets).flatMap { places[$0] })
    }
    var values: [ClaimKey: Stamp] = [:]
    for claim in decidesValues ? try claims(of: facts) : [] where !refused.contains(claim) {
      values[claim] = ClaimOrder.stamp(of: claim, facts, rules.entity)
    }
    return Contests.Entrant(
      facts: facts, rules: rules, isAlive: try isContending(slot), targets: targets, values: values)
  }

  /// A local save that gives a visible record's value to another is refused, not decided.
  private func valuesRefused(_ slots: [Int]) throws -> Set<ClaimKey> {
    if isMerge { return [] }
    return Set(try slots.filter { records[$0].isWrittenHere }.flatMap { try claims(of: records[$0].facts) })
  }
}
