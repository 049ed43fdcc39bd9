/// Works out which of several records are seen that compete for targets of one-to-ones and for unique values: a pure
/// function of what the records wrote.
///
/// A claim on a target or a value loses to a later claim of a record that is seen. Whether that one is seen may hang on
/// other claims. So two bounds approach each other: the records that are seen however the open losses end, and those
/// that may be seen. Where the bounds stop apart, losses depend on each other in a circle. Of those that depend on
/// nothing else that is open, the losses to the latest claim count then for good, and the rest follows.
///
/// Cost: a few passes over all records, and as many again for each circle.
struct Contests {
  /// A record, and all of it that decides which records are seen.
  struct Entrant {
    let facts: RecordFacts
    let rules: EntityRules
    /// Inserted and alive.
    let isAlive: Bool
    /// Where each reference leads that is not void, by ordinal: the place of a record among the entrants, or nil where
    /// nothing is known of it.
    let targets: [Int: Int?]
    /// Its unique values, and when it got them.
    let values: [ClaimKey: Stamp]
  }

  private struct Node {
    let isLiving: Bool
    let references: [Reference]
  }

  private struct Reference {
    let ordinal: Int
    /// The record that it leads to; nil if nothing is known of it.
    let target: Int?
    let hides: Bool
    let isRequired: Bool
  }

  /// A place among the references of a record.
  private struct Place: Hashable {
    let node: Int
    let reference: Int
  }

  /// When a record made a claim; under equal stamps the id decides.
  private struct Rank: Comparable {
    let stamp: Stamp
    let id: RecordID

    static func < (left: Rank, right: Rank) -> Bool { (left.stamp, left.id) < (right.stamp, right.id) }
  }

  private struct Claim {
    let node: Int
    let rank: Rank
    /// The reference by which a target is claimed, or those that are part of a unique value. Nil where one is void.
    let references: [Int]?
  }

  /// The claims on one thing, the latest first.
  private struct Contest {
    let isUnique: Bool
    let claims: [Claim]
  }

  /// A loss that counts although its winner may not be seen.
  struct DecidedLoss {
    let loser: Int
    /// Nil for a unique value.
    let ordinal: Int?
    let winner: Int
    /// The winner's write.
    let write: Stamp
  }

  private let nodes: [Node]
  private let contests: [Contest]
  private var lower: Reading
  private var upper: Reading
  private var decidedReferences: Set<Place> = []
  private var decidedRecords: Set<Int> = []
  private(set) var decided: [DecidedLoss] = []

  /// One of the two bounds: what it takes for seen, and what is lost if that is true.
  private struct Reading: Equatable {
    var isVisible: [Bool]
    var lostReferences: Set<Place> = []
    var superseded: Set<Int> = []
  }

  init(_ entrants: [Entrant]) {
    nodes = entrants.map(Contests.node)
    contests = Contests.targetContests(entrants, nodes) + Contests.valueContests(entrants, nodes)
    lower = Reading(isVisible: nodes.map { _ in false })
    upper = Reading(isVisible: nodes.map(\.isLiving))
    approach()
    while lower.isVisible != upper.isVisible {
      breakCircles()
      approach()
    }
  }

  func isVisible(_ entrant: Int) -> Bool { upper.isVisible[entrant] }

  /// The references of a record that are lost, by ordinal: another record that is seen claimed the target later.
  func lostReferences(of entrant: Int) -> [Int] {
    nodes[entrant].references.enumerated().filter { position, _ in
      upper.lostReferences.contains(Place(node: entrant, reference: position))
    }.map(\.element.ordinal)
  }
}

// The claims of the records.
extension Contests {
  private struct Target: Hashable {
    let entity: EntityNumber
    let ordinal: Int
    let id: RecordID
  }

  private static func node(_ entrant: Entrant) -> Node {
    let rules = entrant.rules.references
    let isWhole = rules.allSatisfy { !$0.isRequired || entrant.targets[$0.ordinal] != nil }
    let references = rules.compactMap { rule in
      entrant.targets[rule.ordinal].map { target in
        Reference(ordinal: rule.ordinal, target: target, hides: rule.hides, isRequired: rule.isRequired)
      }
    }
    return Node(isLiving: entrant.isAlive && isWhole, references: references)
  }

  private static func targetContests(_ entrants: [Entrant], _ nodes: [Node]) -> [Contest] {
    var claims: [Target: [Claim]] = [:]
    for (place, entrant) in entrants.enumerated() {
      for rule in entrant.rules.references where rule.isExclusive {
        guard let register = entrant.facts.register(at: rule.ordinal), case .reference(let id) = register.value else {
          continue
        }
        let position = nodes[place].references.firstIndex { $0.ordinal == rule.ordinal }
        let claim = Claim(
          node: place, rank: Rank(stamp: register.stamp, id: entrant.facts.id), references: position.map { [$0] })
        let target = Target(entity: entrant.facts.entity, ordinal: rule.ordinal, id: id)
        claims[target, default: []].append(claim)
      }
    }
    return contests(claims.values, isUnique: false)
  }

  private static func valueContests(_ entrants: [Entrant], _ nodes: [Node]) -> [Contest] {
    var claims: [ClaimKey: [Claim]] = [:]
    for (place, entrant) in entrants.enumerated() {
      for (value, stamp) in entrant.values {
        let index = entrant.rules.entity.indexes.first { $0.number == value.index }
        let references = index?.components.map(\.ordinal).filter { entrant.facts.reference(at: $0) != nil } ?? []
        let positions = references.map { ordinal in nodes[place].references.firstIndex { $0.ordinal == ordinal } }
        let claim = Claim(
          node: place, rank: Rank(stamp: stamp, id: entrant.facts.id),
          references: positions.contains(nil) ? nil : positions.compactMap { $0 })
        claims[value, default: []].append(claim)
      }
    }
    return contests(claims.values, isUnique: true)
  }

  private static func contests(_ claims: some Sequence<[Claim]>, isUnique: Bool) -> [Contest] {
    claims.filter { $0.count > 1 }.map { claims in
      Contest(isUnique: isUnique, claims: claims.sorted { $0.rank > $1.rank })
    }
  }
}

// The two bounds.
extension Contests {
  private mutating func approach() {
    while true {
      let before = (lower, upper)
      // Each bound is read with the losses that the other one makes possible, or sure.
      let (sure, possible) = (losses(lower, ifLost: upper), losses(upper, ifLost: lower))
      (lower.lostReferences, lower.superseded) = sure
      (upper.lostReferences, upper.superseded) = possible
      upper.isVisible = greatestVisible(without: lower, freedBy: upper)
      lower.isVisible = greatestVisible(without: upper, freedBy: lower)
      if (lower, upper) == before { return }
    }
  }

  /// The losses if the records of `reading` are seen, and the references lost that `other` says.
  private func losses(_ reading: Reading, ifLost other: Reading) -> (Set<Place>, Set<Int>) {
    var references = decidedReferences
    var superseded = decidedRecords
    for contest in contests {
      for (place, claim) in contest.claims.enumerated() {
        let rivals = contest.claims[..<place].lazy.filter { $0.node != claim.node && reading.isVisible[$0.node] }
        if contest.isUnique {
          let isLost = rivals.contains { isSuperseded(claim, by: $0, in: reading, lost: other.lostReferences) }
          if isLost { superseded.insert(claim.node) }
        } else if let reference = claim.references?.first, !rivals.isEmpty {
          references.insert(Place(node: claim.node, reference: reference))
        }
      }
    }
    return (references, superseded)
  }

  private func isSuperseded(_ claim: Claim, by rival: Claim, in reading: Reading, lost: Set<Place>) -> Bool {
    shows(claim, taking: claim.node, in: reading, lost: lost)
      && shows(rival, taking: claim.node, in: reading, lost: lost)
  }

  /// The most records that can be seen together: those that need each other in a circle, too.
  private func greatestVisible(without losses: Reading, freedBy freeing: Reading) -> [Bool] {
    var isVisible = nodes.indices.map { nodes[$0].isLiving && !losses.superseded.contains($0) }
    var needing: [Int: [Int]] = [:]
    var pending: [Int] = []
    func holds(_ node: Int) -> Bool {
      nodes[node].references.enumerated().allSatisfy { position, reference in
        guard reference.hides else { return true }
        let place = Place(node: node, reference: position)
        if reference.isRequired, losses.lostReferences.contains(place) { return false }
        if !reference.isRequired, freeing.lostReferences.contains(place) { return true }
        return reference.target.map { isVisible[$0] } ?? false
      }
    }
    for node in nodes.indices where isVisible[node] {
      for reference in nodes[node].references where reference.hides {
        if let target = reference.target { needing[target, default: []].append(node) }
      }
    }
    func drop(_ node: Int) {
      isVisible[node] = false
      pending.append(node)
    }
    for node in nodes.indices where isVisible[node] && !holds(node) { drop(node) }
    while let gone = pending.popLast() {
      for node in needing[gone] ?? [] where isVisible[node] && !holds(node) { drop(node) }
    }
    return isVisible
  }

  /// `assumed` is taken for seen, and with it what needs it alone. Else one whose own value names it, or what is seen
  /// only with it, would be hidden because it is seen.
  private func shows(_ claim: Claim, taking assumed: Int, in reading: Reading, lost: Set<Place>) -> Bool {
    guard let references = claim.references else { return false }
    return references.allSatisfy { position in
      guard !lost.contains(Place(node: claim.node, reference: position)),
        let target = nodes[claim.node].references[position].target
      else { return false }
      if reading.isVisible[target] { return true }
      let needed = supports(of: target)
      return needed.contains(assumed)
        && needed.allSatisfy { node in
          node == assumed || nodes[node].isLiving && (reading.isVisible[node] || supports(of: node).contains(assumed))
        }
    }
  }

  /// A record and all that it cannot be seen without.
  private func supports(of node: Int) -> Set<Int> {
    var found: Set<Int> = [node]
    var pending = [node]
    while let current = pending.popLast() {
      for reference in nodes[current].references where reference.hides {
        if let target = reference.target, found.insert(target).inserted { pending.append(target) }
      }
    }
    return found
  }
}

// Circles.
extension Contests {
  private struct OpenLoss {
    let loser: Int
    let winner: Int
    let rank: Rank
    /// The reference that is lost; nil for a unique value.
    let place: Place?
  }

  /// Lets the losses to the latest claim count in each group of open records that depends on no other.
  private mutating func breakCircles() {
    let open = nodes.indices.filter { upper.isVisible[$0] && !lower.isVisible[$0] }
    let losses = openLosses(of: Set(open))
    for group in independentGroups(of: open, losses) {
      let found = group.flatMap { losses[$0] ?? [] }
      guard let latest = found.map(\.rank).max() else {
        // Open without a loss that is: nothing that they need can come to be seen.
        decidedRecords.formUnion(group)
        continue
      }
      for loss in found where loss.rank == latest {
        let reference = loss.place.map { nodes[$0.node].references[$0.reference] }
        if let place = loss.place { decidedReferences.insert(place) } else { decidedRecords.insert(loss.loser) }
        decided.append(
          DecidedLoss(
            loser: loss.loser, ordinal: reference?.ordinal, winner: loss.winner, write: loss.rank.stamp))
      }
    }
  }

  /// For each open record, the losses that would hide it and are not sure.
  private func openLosses(of open: Set<Int>) -> [Int: [OpenLoss]] {
    var found: [Int: [OpenLoss]] = [:]
    for contest in contests {
      for (position, claim) in contest.claims.enumerated() where open.contains(claim.node) {
        let place = contest.isUnique ? nil : claim.references?.first.map { Place(node: claim.node, reference: $0) }
        // Only the loss of a required reference hides its holder.
        let isHiding = place.map { nodes[$0.node].references[$0.reference].isRequired } ?? contest.isUnique
        guard isHiding else { continue }
        for rival in contest.claims[..<position] where rival.node != claim.node && upper.isVisible[rival.node] {
          if contest.isUnique, !isSuperseded(claim, by: rival, in: upper, lost: lower.lostReferences) { continue }
          found[claim.node, default: []].append(
            OpenLoss(loser: claim.node, winner: rival.node, rank: rival.rank, place: place))
        }
      }
    }
    return found
  }

  /// The groups of open records that depend on each other, and on no other open ones.
  private func independentGroups(of open: [Int], _ losses: [Int: [OpenLoss]]) -> [[Int]] {
    let isOpen = Set(open)
    var edges: [Int: Set<Int>] = [:]
    for node in open {
      let targets = nodes[node].references.compactMap(\.target)
      let rivals = (losses[node] ?? []).map(\.winner)
      // Whether a rival's value shows hangs on what its references lead to, and on the other claims on that.
      let theirs = rivals.flatMap { nodes[$0].references.compactMap(\.target) }
      edges[node] = Set(targets + rivals + theirs).intersection(isOpen)
    }
    for contest in contests where !contest.isUnique {
      for (position, claim) in contest.claims.enumerated() where isOpen.contains(claim.node) {
        edges[claim.node]?.formUnion(contest.claims[..<position].map(\.node).filter(isOpen.contains))
      }
    }
    return components(of: open, edges).filter { group in
      let members = Set(group)
      return group.allSatisfy { edges[$0]?.isSubset(of: members) ?? true }
    }
  }

  /// The strongly connected components, by Tarjan's algorithm without recursion.
  private func components(of open: [Int], _ edges: [Int: Set<Int>]) -> [[Int]] {
    var found: [[Int]] = []
    var numbers: [Int: Int] = [:]
    var lowest: [Int: Int] = [:]
    var stack: [Int] = []
    var isOnStack: Set<Int> = []
    for root in open where numbers[root] == nil {
      var calls: [(node: Int, rest: [Int])] = []
      func enter(_ node: Int) {
        (numbers[node], lowest[node]) = (numbers.count, numbers.count)
        stack.append(node)
        isOnStack.insert(node)
        calls.append((node, Array(edges[node] ?? [])))
      }
      enter(root)
      while let node = calls.last?.node {
        if let next = calls[calls.count - 1].rest.popLast() {
          if numbers[next] == nil {
            enter(next)
          } else if isOnStack.contains(next) {
            lowest[node] = min(lowest[node] ?? 0, numbers[next] ?? 0)
          }
          continue
        }
        calls.removeLast()
        if let caller = calls.last?.node { lowest[caller] = min(lowest[caller] ?? 0, lowest[node] ?? 0) }
        guard lowest[node] == numbers[node], let start = stack.lastIndex(of: node) else { continue }
        found.append(Array(stack[start...]))
        isOnStack.subtract(stack[start...])
        stack.removeSubrange(start...)
      }
    }
    return found
  }
}
