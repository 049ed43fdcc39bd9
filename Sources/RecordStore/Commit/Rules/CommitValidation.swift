import LMDB

/// The checks of what a local save must not leave behind, made when everything has settled. Merges are never refused.
///
/// A save that breaks a rule at several records is refused for that with the least key. The slots do not decide: their
/// order depends on how many changes were taken without a look at their rules.
extension CommitSession {
  func validate() throws {
    try refuseLeast { try deniedDelete(of: $0) }
    try refuseCircles()
    try refuseLeast { records[$0].isWrittenHere ? try refusalOfWritten($0) : nil }
    try refuseLeast { records[$0].isVisible ? try missingTarget(of: $0) : nil }
    try refuseSharedValues()
  }

  /// Records to which one save gives one unique value are one wherever it is merged, so it must not leave two here. The
  /// index tells where readers see the value; a key with a reference that reads as nil is in none.
  private func refuseSharedValues() throws {
    var holders: [ClaimKey: Int] = [:]
    for slot in records.indices where records[slot].isWrittenHere && records[slot].isVisible {
      let rules = rules(of: slot)
      guard rules.hasUniqueReference else { continue }
      for claim in try claims(of: records[slot].facts)
      where ClaimOrder.stamp(of: claim, records[slot].facts, rules.entity) == stamp {
        if holders.updateValue(slot, forKey: claim) != nil { throw duplicate(rules) }
      }
    }
  }

  /// Asks what stands against each record, and throws the answer about the one with the least key.
  private func refuseLeast(_ refusal: (Int) throws -> StoreError?) throws {
    var least: (key: RecordKey, refusal: StoreError)?
    for slot in records.indices {
      if let least, least.key < records[slot].key { continue }
      if let refusal = try refusal(slot) { least = (records[slot].key, refusal) }
    }
    if let least { throw least.refusal }
  }

  /// The slots of some records, in the order of their keys.
  func inKeyOrder(_ slots: some Sequence<Int>) -> [Int] {
    slots.sorted { records[$0].key < records[$1].key }
  }

  /// An optional to-one relationship with a minimum count must lead to a record, where this save has a say in it.
  private func missingTarget(of slot: Int) throws -> StoreError? {
    let rules = rules(of: slot)
    for rule in rules.references where rule.needsTarget {
      let record = records[slot]
      let isConcerned = record.isWrittenHere || record.dangling != record.originalDangling
      guard isConcerned, value(of: slot, rules.entity.fields[rule.ordinal]) == .null else { continue }
      return StoreError(
        .countViolation,
        "\(title(of: rule, rules)) of a record would lead to no record where "
          + "one is needed: set it, or delete the record too")
    }
    return nil
  }

  /// A record that the caller wrote must be visible now, unless the same save deleted it or its parent.
  private func refusalOfWritten(_ slot: Int) throws -> StoreError? {
    if records[slot].isVisible { return try unknownTarget(of: slot) }
    guard !records[slot].isRemoved, try !goesWithThisSave(slot) else { return nil }
    let rules = rules(of: slot)
    guard !rules.entity.deleteIsFinal || records[slot].facts.deleted == nil else {
      return StoreError(
        .invalidRequest, "a record of \(rules.entity.name) was deleted for good and cannot come back: use a new id")
    }
    let missing = try rules.references.filter(\.hides).first { rule in
      guard let target = records[slot].facts.reference(at: rule.ordinal) else { return rule.isRequired }
      return try !isVisible(target, among: rule.targets)
    }
    if let missing {
      return StoreError(
        .recordNotFound,
        "\(title(of: missing, rules)) names a record that is not there, or somebody deleted it: fetch again "
          + "and choose another")
    }
    return StoreError(
      .invalidRequest,
      "the save leaves a record of \(rules.entity.name) without the one-to-one relationship that it "
        + "requires: change both sides in one save")
  }

  /// A reference under a rule of deny to a record of which nothing is known protects nothing. Whether the record was
  /// forgotten or never came cannot be told apart, and a store that still knows of its death refuses it, too.
  private func unknownTarget(of slot: Int) throws -> StoreError? {
    let rules = rules(of: slot)
    for rule in rules.references where rule.isDeny {
      guard let register = records[slot].facts.register(at: rule.ordinal), register.stamp == stamp,
        case .reference(let target) = register.value, try self.slot(of: target, among: rule.targets) == nil
      else { continue }
      return StoreError(
        .recordNotFound,
        "\(title(of: rule, rules)) names a record that is not there: fetch again and choose another")
    }
    return nil
  }

  func title(of rule: ReferenceRule, _ rules: EntityRules) -> String {
    layout.catalogue.title(of: rules.entity.fields[rule.ordinal], in: rules.entity)
  }

  /// Whether this save's own deletes hide the record.
  func goesWithThisSave(_ slot: Int) throws -> Bool {
    var visited: Set<Int> = []
    var pending = [slot]
    while let current = pending.popLast() {
      guard visited.insert(current).inserted else { continue }
      if records[current].facts.deleted == stamp { return true }
      for rule in rules(of: current).references where rule.hides && !isReleased(current, rule.ordinal) {
        guard let target = try reference(of: current, rule),
          let above = try self.slot(of: target, among: rule.targets),
          // One on the queue may be shown until its turn comes.
          !records[above].isVisible || records[above].isQueued
        else { continue }
        pending.append(above)
      }
    }
    return false
  }

  /// Owners whose number of linked records may have changed, with the rule that limits it, in the order of their ids.
  func countedOwners() -> [(owner: RecordID, reference: EntityRules.Incoming)] {
    guard layout.hasCountRules else { return [] }
    var owners: [(owner: RecordID, reference: EntityRules.Incoming)] = []
    var seen: Set<CountedOwner> = []
    func add(_ owner: RecordID?, _ reference: EntityRules.Incoming) {
      guard let owner else { return }
      let key = CountedOwner(owner: owner, holder: reference.holder, ordinal: reference.rule.ordinal)
      if seen.insert(key).inserted { owners.append((owner, reference)) }
    }
    for record in records where record.isDirty || record.isVisible != record.wasVisible {
      let rules = layout.rules[record.facts.entity]
      for rule in rules.references where rule.countsHolders {
        let reference = EntityRules.Incoming(holder: record.facts.entity, rule: rule)
        add(record.facts.reference(at: rule.ordinal), reference)
        add(record.original?.reference(at: rule.ordinal), reference)
      }
      for reference in rules.incoming where reference.rule.minimumCount > 0 { add(record.facts.id, reference) }
    }
    return owners.sorted { left, right in
      (left.owner, left.reference.holder, left.reference.rule.ordinal)
        < (right.owner, right.reference.holder, right.reference.rule.ordinal)
    }
  }

  private struct CountedOwner: Hashable {
    let owner: RecordID
    let holder: EntityNumber
    let ordinal: Int
  }
}
