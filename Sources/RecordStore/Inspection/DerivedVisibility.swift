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

  /// A containing reference that is set and leads to a record of which something is known.
  private struct ContainingEdge {
    let reference: Reference
    let parent: RecordKey
    let stamp: Stamp
  }

  /// Takes containing references in the order of their stamps and leaves out what closes a circle.
  private static func voidReferences(_ facts: [RecordKey: RecordFacts], _ layout: StoreLayout) -> Set<Reference> {
    guard layout.hasContainingRules else { return [] }
    var edges: [ContainingEdge] = []
    for (key, record) in facts {
      for rule in layout.rules[key.entity].references where rule.isContaining {
        guard let register = record.register(at: rule.ordinal), case .reference(let id) = register.value,
          let parent = rule.targets.map({ RecordKey(entity: $0, id: id) }).first(where: { facts[$0] != nil })
        else { continue }
        let reference = Reference(holder: key, ordinal: rule.ordinal)
        edges.append(ContainingEdge(reference: reference, parent: parent, stamp: register.stamp))
      }
    }
    edges = withoutTrees(edges)
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

  /// The references that may lie on a circle. No circle leads through a record whose references all lead to records
  /// that none leads through. So the records are taken from the outermost in, and trees go at the cost of one look at
  /// each reference, however deep they are.
  private static func withoutTrees(_ edges: [ContainingEdge]) -> [ContainingEdge] {
    var open: [RecordKey: Int] = [:]
    var below: [RecordKey: [RecordKey]] = [:]
    for edge in edges {
      open[edge.reference.holder, default: 0] += 1
      below[edge.parent, default: []].append(edge.reference.holder)
    }
    var outermost = below.keys.filter { open[$0] == nil }
    while let record = outermost.popLast() {
      for holder in below[record] ?? [] {
        let left = open[holder, default: 0] - 1
        open[holder] = left
        if left == 0 { outermost.append(holder) }
      }
    }
    return edges.filter { open[$0.reference.holder, default: 0] > 0 }
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
    var below: [RecordKey: [RecordKey]] = [:]
    var dead: [RecordKey] = []
    for key in alive {
      for rule in layout.rules[key.entity].references where rule.hides {
        guard let above = reference(of: key, rule).flatMap({ target($0, rule) }), !isAwaited(above) else { continue }
        below[above, default: []].append(key)
        if !alive.contains(above) { dead.append(above) }
      }
    }
    while let above = dead.popLast() {
      for key in below.removeValue(forKey: above) ?? [] where living.remove(key) != nil { dead.append(key) }
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
    // The newest touches first: a record then rises once, but where a rule of deny gives it life later.
    for first in facts.keys.sorted(by: { touch[$0] ?? .zero > touch[$1] ?? .zero }) {
      var pending = [first]
      while let key = pending.popLast() {
        guard lives(key) else { continue }
        for rule in layout.rules[key.entity].references where rule.isCascade || rule.isDeny {
          guard let above = reference(of: key, rule).flatMap({ target($0, rule) }) else { continue }
          var hasChanged = rule.isDeny && holders.contains(key) && denied.insert(above).inserted
          if rule.isCascade, let own = touch[key], own > touch[above] ?? .zero {
            touch[above] = own
            hasChanged = true
          }
          if hasChanged { pending.append(above) }
        }
      }
    }
    return Set(facts.keys.filter(lives))
  }
}
