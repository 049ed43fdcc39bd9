/// Which row holds a unique value, and when it got it.
struct Claimant {
  let key: RecordKey
  let latest: Stamp
}

/// Visibility worked out from all facts at once, without a queue: the reading of the rules that commits are
/// checked against. See ``CommitSession`` for what the rules are.
struct DerivedVisibility {
  private let facts: [RecordKey: RecordFacts]
  private let layout: StoreLayout
  private(set) var visible: Set<RecordKey> = []
  /// References that read as nil although their target is visible, since another record has it.
  private var losers: Set<Reference> = []
  /// References that would make a record part of itself.
  private var voids: Set<Reference> = []

  private struct Reference: Hashable {
    let holder: RecordKey
    let ordinal: Int
  }

  /// `claims`: which rows hold which unique value, and when they got it.
  init(_ facts: [RecordKey: RecordFacts], layout: StoreLayout, claims: [ClaimKey: [Claimant]]) {
    self.facts = facts
    self.layout = layout
    voids = DerivedVisibility.voidReferences(facts, layout)
    let living = livingRecords()
    let keys = Array(facts.keys)
    let places = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    var values: [RecordKey: [ClaimKey: Stamp]] = [:]
    for (claim, holders) in claims where holders.count > 1 {
      for holder in holders { values[holder.key, default: [:]][claim] = holder.latest }
    }
    let entrants = facts.map { key, record in
      Contests.Entrant(
        facts: record, rules: layout.rules[key.entity], isAlive: living.contains(key),
        targets: targets(of: key, places),
        values: values[key] ?? [:])
    }
    let contests = Contests(entrants)
    for (place, key) in keys.enumerated() {
      if contests.isVisible(place) { visible.insert(key) }
      for ordinal in contests.lostReferences(of: place) { losers.insert(Reference(holder: key, ordinal: ordinal)) }
    }
  }

  private func targets(of key: RecordKey, _ places: [RecordKey: Int]) -> [Int: Int?] {
    var found: [Int: Int?] = [:]
    for rule in layout.rules[key.entity].references {
      guard let id = reference(of: key, rule) else { continue }
      found[rule.ordinal] = .some(target(id, rule).flatMap { places[$0] })
    }
    return found
  }

  /// Whether no reference in the key reads as nil.
  func shows(_ claim: ClaimKey, _ key: RecordKey) -> Bool {
    let rules = layout.rules[key.entity]
    let index = rules.entity.indexes.first { $0.number == claim.index }
    return index?.components.allSatisfy { component in
      guard let rule = rules.reference(at: component.ordinal), facts[key]?.reference(at: component.ordinal) != nil
      else { return true }
      guard let id = reference(of: key, rule) else { return false }
      return !losers.contains(Reference(holder: key, ordinal: component.ordinal)) && visibleTarget(id, rule) != nil
    } ?? false
  }

  /// References of a visible record that read as nil although they are set, rising.
  func dangling(of key: RecordKey) -> [Int] {
    guard let record = facts[key] else { return [] }
    return layout.rules[key.entity].references.filter { rule in
      guard let target = record.reference(at: rule.ordinal) else { return false }
      if voids.contains(Reference(holder: key, ordinal: rule.ordinal)) { return true }
      return losers.contains(Reference(holder: key, ordinal: rule.ordinal)) || visibleTarget(target, rule) == nil
    }.map(\.ordinal)
  }

  /// Takes containing references in the order of their stamps and leaves out what closes a circle.
  private static func voidReferences(_ facts: [RecordKey: RecordFacts], _ layout: StoreLayout) -> Set<Reference> {
    guard layout.hasContainingRules else { return [] }
    var edges: [(reference: Reference, parent: RecordKey, stamp: Stamp)] = []
    for (key, record) in facts {
      for rule in layout.rules[key.entity].references where rule.isContaining {
        guard let register = record.register(at: rule.ordinal), case .reference(let id) = register.value,
          let parent = rule.targets.map({ RecordKey(entity: $0, id: id) }).first(where: { facts[$0] != nil })
        else { continue }
        edges.append((Reference(holder: key, ordinal: rule.ordinal), parent, register.stamp))
      }
    }
    edges.sort { left, right in
      if left.stamp != right.stamp { return left.stamp < right.stamp }
      return (left.reference.holder.id, left.reference.ordinal) < (right.reference.holder.id, right.reference.ordinal)
    }
    var above: [RecordKey: [RecordKey]] = [:]
    var found: Set<Reference> = []
    for edge in edges {
      var reached: Set<RecordKey> = [edge.parent]
      var pending = [edge.parent]
      while let current = pending.popLast() {
        for next in above[current] ?? [] where reached.insert(next).inserted { pending.append(next) }
      }
      if reached.contains(edge.reference.holder) {
        found.insert(edge.reference)
      } else {
        above[edge.reference.holder, default: []].append(edge.parent)
      }
    }
    return found
  }

  /// The target of a record's reference; nil where the reference is void.
  private func reference(of key: RecordKey, _ rule: ReferenceRule) -> RecordID? {
    voids.contains(Reference(holder: key, ordinal: rule.ordinal)) ? nil : facts[key]?.reference(at: rule.ordinal)
  }

  private func target(_ id: RecordID, _ rule: ReferenceRule) -> RecordKey? {
    rule.targets.map { RecordKey(entity: $0, id: id) }.first { facts[$0] != nil }
  }

  private func visibleTarget(_ id: RecordID, _ rule: ReferenceRule) -> RecordKey? {
    rule.targets.map { RecordKey(entity: $0, id: id) }.first { visible.contains($0) }
  }

  /// Alive by its own facts and those below it. Begins with the assumption that every holder lives and takes
  /// back what does not hold.
  private func livingRecords() -> Set<RecordKey> {
    var holders = Set(facts.filter(\.value.isInserted).keys)
    while true {
      let alive = aliveRecords(whereLiving: holders)
      let next = withoutDeadAncestors(alive)
      if next == holders { return alive }
      holders = next
    }
  }

  /// The records among those alive that need none that is not.
  private func withoutDeadAncestors(_ alive: Set<RecordKey>) -> Set<RecordKey> {
    var living = alive
    var hasChanged = true
    while hasChanged {
      let kept = living.filter { key in
        layout.rules[key.entity].references.allSatisfy { rule in
          guard rule.hides, let above = reference(of: key, rule).flatMap({ target($0, rule) }) else {
            return true
          }
          return living.contains(above) || isAwaited(above)
        }
      }
      hasChanged = kept.count != living.count
      living = kept
    }
    return living
  }

  /// Never inserted and not deleted either: a record that needs it waits, but is not dead.
  private func isAwaited(_ key: RecordKey) -> Bool {
    guard let record = facts[key], !record.isInserted else { return false }
    return record.deleted.map { record.life ?? .zero > $0 } ?? true
  }

  /// The least solution: touches rise along cascades, and the holders given void deletes under deny.
  private func aliveRecords(whereLiving holders: Set<RecordKey>) -> Set<RecordKey> {
    var touch = facts.mapValues { $0.life ?? .zero }
    var denied: Set<RecordKey> = []
    func lives(_ key: RecordKey) -> Bool {
      guard let record = facts[key], record.isInserted else { return false }
      guard let deleted = record.deleted else { return true }
      if layout.rules[key.entity].entity.deleteIsFinal { return false }
      return touch[key] ?? .zero > deleted || denied.contains(key)
    }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for key in facts.keys where lives(key) {
        for rule in layout.rules[key.entity].references where rule.isCascade || rule.isDeny {
          guard let above = reference(of: key, rule).flatMap({ target($0, rule) }) else { continue }
          if rule.isDeny, holders.contains(key), denied.insert(above).inserted { hasChanged = true }
          if rule.isCascade, let own = touch[key], own > touch[above] ?? .zero {
            touch[above] = own
            hasChanged = true
          }
        }
      }
    }
    return Set(facts.keys.filter(lives))
  }
}
