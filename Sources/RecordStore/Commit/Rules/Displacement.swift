/// A local save that gives the target of a one-to-one to another record.
///
/// The save says so of the record that has the target now, and of that one alone. The former holder's write stays;
/// it reads nil for as long as the later holder is there (``CommitSession/winningRival(of:_:_:)``). A nil of its own
/// would be activity of a record that nobody edited, and would beat what somebody chose for it elsewhere.
///
/// Where the target was seen to go it does not come back: the save by which the later holder lets go of it writes
/// the nil of the former one, without giving life.
extension CommitSession {
  /// A target of a one-to-one relationship leaves its earlier holder.
  func displaceOtherHolders(of slot: Int, ordinals: [Int]) throws {
    let rules = rules(of: slot)
    for rule in rules.references where rule.isExclusive && ordinals.contains(rule.ordinal) {
      guard let target = records[slot].facts.reference(at: rule.ordinal) else { continue }
      let reference = EntityRules.Incoming(holder: records[slot].facts.entity, rule: rule)
      for other in try currentHolders(of: target, reference) where other != slot {
        let isNew = records[other].facts.register(at: rule.ordinal)?.stamp == stamp
        // One that reads nil has nothing to lose.
        guard try isChangeable(other), isNew || !records[other].dangling.contains(rule.ordinal) else { continue }
        records[other].isWrittenHere = true
        // Where it may not be null the record loses by the rule, and the save is refused if it has nothing else then.
        if rule.isRequired { continue }
        if isNew || !rules.losesByRule(rule) {
          // The later of two writes of one save counts, which their stamps do not tell.
          release(other, rule)
          leaving.taken[slot, default: []] += leaving.taken[other] ?? []
        } else {
          leaving.taken[slot, default: []].append(LeavingState.Loss(slot: other, rule: rule))
          records[other].dangling = (records[other].dangling + [rule.ordinal]).sorted()
          enqueue(other)
          noteFormerHolder(other)
        }
      }
    }
  }

  /// A nil that says nothing of the record's life.
  private func release(_ slot: Int, _ rule: ReferenceRule) {
    let isOnce = terms.once != nil && records[slot].facts.onceInserts.contains { $0.stamp == stamp }
    changeFacts(of: slot) { $0.set(.null, at: rule.ordinal, stamp: stamp, isOnce: isOnce) }
  }

  /// Takes back the nils that this save wrote in records whose targets it gave to others: an object graph empties the
  /// former holder itself.
  func takeBackNilsOfDisplaced() throws {
    let written = records.indices.filter { records[$0].isWrittenHere && rules(of: $0).isExclusiveHolder }
    let emptied = written.flatMap { slot in
      rules(of: slot).references.filter { isEmptied(slot, $0) }.map { (slot, $0) }
    }
    guard !emptied.isEmpty else { return }
    // Now the last holder of each target is known.
    try settle()
    for (slot, rule) in emptied where isEmptied(slot, rule) {
      guard let original = records[slot].original, let had = original.register(at: rule.ordinal),
        case .reference(let target) = had.value
      else { continue }
      let reference = EntityRules.Incoming(holder: records[slot].facts.entity, rule: rule)
      let isTaken = try currentHolders(of: target, reference).contains { other in
        records[other].facts.register(at: rule.ordinal)?.stamp == stamp && records[other].isVisible
          && !records[other].dangling.contains(rule.ordinal)
      }
      guard isTaken else { continue }
      changeFacts(of: slot) { facts in
        facts.set(had.value, at: rule.ordinal, stamp: had.stamp, isOnce: had.isOnce)
        let says = facts.touch == stamp && facts.registers.contains { $0.stamp == stamp }
        if !says { facts.touch = original.touch }
      }
    }
  }

  /// Whether this save has taken a one-to-one target away from a record that is there, and given it no other.
  private func isEmptied(_ slot: Int, _ rule: ReferenceRule) -> Bool {
    let record = records[slot]
    guard rule.isExclusive, rules(of: slot).losesByRule(rule), record.isWrittenHere, record.wasVisible,
      !record.isRemoved, record.facts.deleted != stamp, !record.originalDangling.contains(rule.ordinal),
      let register = record.facts.register(at: rule.ordinal)
    else { return false }
    return register.value == .null && register.stamp == stamp
  }

  /// Notes that a record may have let go of a one-to-one target.
  func noteFormerHolder(_ slot: Int) {
    if !isMerge, rules(of: slot).isExclusiveHolder { leaving.formerHolders.append(slot) }
  }

  /// Lets those go without a target from whom a record had taken it that now gives it up, or goes itself: they have
  /// read nil since, and the author of the taking knew. One whose reference had merely met the later one by a merge
  /// gets the target.
  func releaseDisplaced() throws {
    while let slot = leaving.formerHolders.popLast() {
      for loss in try displaced(by: slot) + displacedHere(by: slot) {
        let before = records[loss.slot].facts
        release(loss.slot, loss.rule)
        try follow(loss.slot, before: before)
      }
      if leaving.formerHolders.isEmpty { try settle() }
    }
  }

  /// From whom this save has given a target to a record that does not have it in the end.
  private func displacedHere(by slot: Int) throws -> [LeavingState.Loss] {
    try (leaving.taken[slot] ?? []).filter { loss in
      guard let register = records[loss.slot].facts.register(at: loss.rule.ordinal), register.value != .null else {
        return false
      }
      return try register.stamp != stamp && !hasLost(loss.slot, loss.rule)
    }
  }

  /// The records that would get back what a record had taken from them before this save, and has no more.
  private func displaced(by slot: Int) throws -> [LeavingState.Loss] {
    guard records[slot].wasVisible else { return [] }
    return try rules(of: slot).references.filter { $0.isExclusive && !$0.isRequired }.flatMap { rule in
      try displaced(by: slot, rule).map { LeavingState.Loss(slot: $0, rule: rule) }
    }
  }

  private func displaced(by slot: Int, _ rule: ReferenceRule) throws -> [Int] {
    let record = records[slot]
    guard let had = record.original?.register(at: rule.ordinal), case .reference(let target) = had.value,
      !record.originalDangling.contains(rule.ordinal)
    else { return [] }
    let isKept =
      try record.isVisible && !record.isRemoved && record.facts.reference(at: rule.ordinal) == target
      && !hasLost(slot, rule, target)
    if isKept { return [] }
    let reference = EntityRules.Incoming(holder: record.facts.entity, rule: rule)
    return try currentHolders(of: target, reference).filter { other in
      guard other != slot, let lost = records[other].facts.register(at: rule.ordinal), lost.stamp < had.stamp else {
        return false
      }
      return try knew(lost.stamp, whoWrote: had.stamp)
    }
  }

  /// Whether a record goes on without a one-to-one target when that or its later holder goes.
  func isDisplaced(_ slot: Int, _ rule: ReferenceRule) throws -> Bool {
    guard rule.isExclusive, !rule.isRequired, let own = records[slot].facts.register(at: rule.ordinal),
      case .reference(let target) = own.value, let rival = try winningRival(of: slot, rule, target),
      let theirs = records[rival].facts.register(at: rule.ordinal)
    else { return false }
    return try knew(own.stamp, whoWrote: theirs.stamp)
  }

  /// Whether a one-to-one reference reads nil because another record has the target.
  func hasLost(_ slot: Int, _ rule: ReferenceRule) throws -> Bool {
    guard rule.isExclusive, let target = records[slot].facts.reference(at: rule.ordinal) else { return false }
    return try hasLost(slot, rule, target)
  }

  /// Whether a save did not see a one-to-one reference, as another record has the target or had it before the save.
  func isUnseen(_ slot: Int, _ rule: ReferenceRule, _ target: RecordID) throws -> Bool {
    guard rule.isExclusive else { return false }
    if try hasLost(slot, rule, target) { return true }
    let record = records[slot]
    guard record.originalDangling.contains(rule.ordinal), record.facts.register(at: rule.ordinal)?.stamp != stamp else {
      return false
    }
    return try self.slot(of: target, among: rule.targets).map { records[$0].wasVisible } ?? false
  }

  /// The facts of a record that is said again: with a new stamp, a reference that was lost would take its target back.
  func restatable(_ facts: RecordFacts, of slot: Int) throws -> RecordFacts {
    var facts = facts
    for rule in rules(of: slot).references where try !rule.isRequired && hasLost(slot, rule) {
      guard let register = facts.register(at: rule.ordinal) else { continue }
      facts.set(.null, at: rule.ordinal, stamp: register.stamp, isOnce: register.isOnce)
    }
    return facts
  }
}

extension EntityRules {
  /// Whether the earlier holder of a one-to-one target keeps its reference unseen. Not where that goes on counting: in
  /// a unique value, or as a link in a chain of records that contain each other.
  fileprivate func losesByRule(_ rule: ReferenceRule) -> Bool {
    !rule.isContaining && !uniqueOrdinals.contains(rule.ordinal) && groups[rule.ordinal] == nil
  }
}
