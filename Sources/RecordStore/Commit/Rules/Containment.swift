import LMDB

/// Records that contain each other: to-one references under a cascade of the other side that can lead back to the
/// record they start from, such as a folder's parent.
///
/// Devices that move apart can close a circle in which everything would hang on itself. So of such references those
/// count, in order of their stamps (equal ones by the holder's id, then the field), that close no circle with those
/// that count before them. Any other is *void*: it reads nil, takes no part in life and death, and keeps its register;
/// it counts again when the circle is gone. The answer depends on the registers alone, of the dead and of those that
/// wait, too, so it never changes with lives and deaths.
///
/// Schemas without such references pay nothing. With them, a new reference costs a look at each record above it.
struct Containment {
  /// For records that were looked at: their void references by field, each with the newest reference that it would
  /// close a circle with.
  fileprivate var voids: [Int: [Int: Edge]] = [:]
  /// Records whose references have changed, with the targets that they had.
  fileprivate var changes: [(slot: Int, before: [RecordID])] = []

  struct Edge: Hashable {
    let child: Int
    let parent: Int
    let ordinal: Int
    let stamp: Stamp
  }

  var hasChanges: Bool { !changes.isEmpty }
}

/// Containing references at one moment: those that count of some records, and all that are void.
struct CountingReferences {
  struct Place: Hashable {
    let slot: Int
    let ordinal: Int
  }
  fileprivate(set) var restated: [Place] = []
  fileprivate(set) var void: Set<Place> = []
}

extension CommitSession {
  /// Whether the reference would make the record part of itself.
  func isVoid(_ slot: Int, _ rule: ReferenceRule) throws -> Bool {
    try rule.isContaining && voidReferences(of: slot)[rule.ordinal] != nil
  }

  /// The target of the record's reference; nil also where the reference is void.
  func reference(of slot: Int, _ rule: ReferenceRule) throws -> RecordID? {
    guard let target = records[slot].facts.reference(at: rule.ordinal), try !isVoid(slot, rule) else { return nil }
    return target
  }

  /// Void references of a record by field, each with the newest reference of the circle that counts.
  func voidReferences(of slot: Int) throws -> [Int: Containment.Edge] {
    if let known = containment.voids[slot] { return known }
    // All above a known record is known too, so no circle leads through it and back.
    let reached = try edgesAbove(slot) { containment.voids[$0] != nil }
    for member in reached.keys { containment.voids[member] = [:] }
    var counting: [Int: [Containment.Edge]] = [:]
    for edge in circling(reached).sorted(by: precedes) {
      if let way = way(from: edge.parent, to: edge.child, along: counting) {
        containment.voids[edge.child, default: [:]][edge.ordinal] = way.max(by: precedes) ?? edge
      } else {
        counting[edge.child, default: []].append(edge)
      }
    }
    return containment.voids[slot] ?? [:]
  }

  /// Every record of a circle with this one, and the records above.
  func recordsAbove(_ slot: Int) throws -> [Int] { try Array(edgesAbove(slot).keys) }

  private func precedes(_ left: Containment.Edge, _ right: Containment.Edge) -> Bool {
    if left.stamp != right.stamp { return left.stamp < right.stamp }
    return (records[left.child].facts.id, left.ordinal) < (records[right.child].facts.id, right.ordinal)
  }

  private func edges(of slot: Int) throws -> [Containment.Edge] {
    guard !records[slot].isRemoved else { return [] }
    return try rules(of: slot).references.compactMap { rule in
      guard rule.isContaining, let register = records[slot].facts.register(at: rule.ordinal),
        case .reference(let target) = register.value, let parent = try self.slot(of: target, among: rule.targets)
      else { return nil }
      return Containment.Edge(child: slot, parent: parent, ordinal: rule.ordinal, stamp: register.stamp)
    }
  }

  /// The references of the record and of all above it, by record, except records that were looked at before with all
  /// above them.
  private func edgesAbove(
    _ slot: Int, except isKnown: (Int) -> Bool = { _ in false }
  ) throws -> [Int: [Containment.Edge]] {
    var reached: [Int: [Containment.Edge]] = [:]
    var pending = [slot]
    while let current = pending.popLast() {
      guard reached[current] == nil, !isKnown(current) else { continue }
      let edges = try edges(of: current)
      reached[current] = edges
      pending += edges.map(\.parent).filter { reached[$0] == nil }
    }
    return reached
  }

  /// The references that lie on circles, and those on ways between circles: what is left when records that refer to
  /// none, and records that none refers to, are taken away one after the other. Costs as much as there are references,
  /// however deep they lead.
  private func circling(_ reached: [Int: [Containment.Edge]]) -> [Containment.Edge] {
    var above: [Int: Int] = [:]
    var below: [Int: [Int]] = [:]
    for (child, edges) in reached {
      above[child, default: 0] += edges.count
      for edge in edges { below[edge.parent, default: []].append(child) }
    }
    var removed: Set<Int> = []
    // The ends of all ways up: records that are known, and those without a reference.
    var ends = below.keys.filter { above[$0, default: 0] == 0 }
    while let end = ends.popLast() {
      removed.insert(end)
      for child in below[end] ?? [] {
        above[child, default: 0] -= 1
        if above[child] == 0 { ends.append(child) }
      }
    }
    var referring: [Int: Int] = [:]
    let left = reached.filter { !removed.contains($0.key) }
      .mapValues { edges in edges.filter { !removed.contains($0.parent) } }
    for edge in left.values.joined() { referring[edge.parent, default: 0] += 1 }
    ends = left.keys.filter { referring[$0, default: 0] == 0 }
    while let end = ends.popLast() {
      removed.insert(end)
      for edge in left[end] ?? [] {
        referring[edge.parent, default: 0] -= 1
        if referring[edge.parent] == 0 { ends.append(edge.parent) }
      }
    }
    return left.filter { !removed.contains($0.key) }.values.flatMap { $0 }
  }

  private func way(
    from start: Int, to end: Int, along edges: [Int: [Containment.Edge]]
  ) -> [Containment.Edge]? {
    if start == end { return [] }
    var reached: [Int: [Containment.Edge]] = [start: []]
    var pending = [start]
    while let current = pending.popLast() {
      for edge in edges[current] ?? [] where reached[edge.parent] == nil {
        let way = (reached[current] ?? []) + [edge]
        if edge.parent == end { return way }
        reached[edge.parent] = way
        pending.append(edge.parent)
      }
    }
    return nil
  }
}

// Changes.
extension CommitSession {
  /// The containing references of a record, to be compared before and after a change of its facts.
  func containingRegisters(of slot: Int) -> [RecordFacts.Register] {
    rules(of: slot).references.filter(\.isContaining).compactMap { records[slot].facts.register(at: $0.ordinal) }
  }

  /// Notes that a record's containing references are not those of `before` any more.
  func noteContainment(of slot: Int, before: [RecordFacts.Register]) {
    let targets = before.compactMap { register -> RecordID? in
      if case .reference(let id) = register.value { id } else { nil }
    }
    containment.changes.append((slot, targets))
    containment.voids.removeAll()
  }

  /// Puts the records on the queue whose references a change may have made void, or made count again: all of them lie
  /// above the changed record as it was or as it is.
  func followContainment() throws {
    let changes = containment.changes
    containment.changes = []
    var (seen, walked): (Set<Int>, Set<Int>) = ([], [])
    for change in changes {
      let earlier = try change.before.compactMap { id in
        try slot(of: id, among: rules(of: change.slot).references.filter(\.isContaining).flatMap(\.targets))
      }
      for start in [change.slot] + earlier {
        for above in try edgesAbove(start, except: seen.contains).keys where seen.insert(above).inserted {
          let ordinals = rules(of: above).references.filter(\.isContaining).map(\.ordinal)
          let wasVoid = ordinals.contains { records[above].dangling.contains($0) }
          guard try wasVoid || !voidReferences(of: above).isEmpty || !records[above].isVisible else { continue }
          enqueue(above)
          try reconsiderTargets(of: above, mayDrop: true, &walked)
        }
      }
    }
  }

  /// A save that would make a record part of itself is refused.
  ///
  /// A reference that was void before the save, so that its author saw nil, does not stand against the save: it is nil
  /// from now on.
  func refuseCircles() throws {
    guard layout.hasContainingRules else { return }
    let written = records.indices.filter { records[$0].isWrittenHere && !records[$0].isRemoved }
    for slot in inKeyOrder(written) {
      for rule in rules(of: slot).references where rule.isContaining {
        guard records[slot].facts.register(at: rule.ordinal)?.stamp == stamp else { continue }
        while try isVoid(slot, rule) {
          guard let unseen = try unseenEdge(closing: slot, rule) else { throw circle(rules(of: slot).entity, rule) }
          changeFacts(of: unseen.child) { facts in
            facts.set(.null, at: unseen.ordinal, stamp: stamp)
            facts.touch = stamp
          }
          try settle()
        }
      }
    }
  }

  /// On the way from a new reference's target back to its holder: a reference that read nil before this save.
  private func unseenEdge(closing slot: Int, _ rule: ReferenceRule) throws -> Containment.Edge? {
    var reached = try edgesAbove(slot)
    guard let own = reached[slot]?.first(where: { $0.ordinal == rule.ordinal }) else { return nil }
    reached[slot]?.removeAll { $0 == own }
    return way(from: own.parent, to: slot, along: reached)?.first { edge in
      edge.stamp != stamp && records[edge.child].originalDangling.contains(edge.ordinal)
    }
  }

  /// Which references of some records, and of all above them, count before the records are said again.
  func containment(of restatements: [Restatement]) throws -> CountingReferences {
    var found = CountingReferences()
    guard layout.hasContainingRules else { return found }
    var seen: Set<Int> = []
    for restatement in restatements {
      guard let slot = try slot(of: restatement.id, entity: restatement.entity) else { continue }
      for (above, edges) in try edgesAbove(slot, except: seen.contains) {
        seen.insert(above)
        let voids = try voidReferences(of: above)
        for edge in edges where voids[edge.ordinal] != nil {
          found.void.insert(.init(slot: above, ordinal: edge.ordinal))
        }
      }
      let voids = try voidReferences(of: slot)
      found.restated += try edges(of: slot).filter { voids[$0.ordinal] == nil }.map {
        .init(slot: slot, ordinal: $0.ordinal)
      }
    }
    return found
  }

  /// Registers that are said again get new stamps, by which a reference that counted could become void and one that was
  /// void count in its place: the tree would turn around. The void one is nil from now on, as with a local move.
  func keep(_ counting: CountingReferences) throws {
    for place in counting.restated where !records[place.slot].isRemoved {
      while try voidReferences(of: place.slot)[place.ordinal] != nil {
        guard let edge = try edge(among: counting.void, closing: place) else { break }
        changeFacts(of: edge.child) { $0.set(.null, at: edge.ordinal, stamp: stamp) }
      }
    }
  }

  private func edge(among void: Set<CountingReferences.Place>, closing place: CountingReferences.Place) throws
    -> Containment.Edge?
  {
    var reached = try edgesAbove(place.slot)
    guard let own = reached[place.slot]?.first(where: { $0.ordinal == place.ordinal }) else { return nil }
    reached[place.slot]?.removeAll { $0 == own }
    return way(from: own.parent, to: place.slot, along: reached)?.first {
      void.contains(CountingReferences.Place(slot: $0.child, ordinal: $0.ordinal))
    }
  }

  private func circle(_ entity: CatalogueEntity, _ rule: ReferenceRule) -> StoreError {
    StoreError(
      .invalidRequest,
      "\(entity.name).\(entity.fields[rule.ordinal].name) would put a record below itself: choose another one")
  }
}
