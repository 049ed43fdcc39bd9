/// Whether two records are one, by what each of them held: the rule of alias classes.
///
/// Two claims of one key join their records if they overlap in time and neither author knew of the other's.
/// The author of the later claim knew if it had seen all writes of the earlier one, and knew that references
/// written with different ids name one record. Two references that one transaction wrote to both are one for its
/// author.
///
/// All of this is a function of facts: of writes and their stamps, and of what the authors of transactions
/// had seen.
struct ClaimPairs {
  typealias Claims = (_ record: RecordKey, _ index: CatalogueIndex) throws -> [HeldClaim]

  let rules: [EntityRules]
  /// Every claim that a record made on keys of an index.
  let claims: Claims
  /// When a record was last deleted.
  let deleted: (_ record: RecordKey) throws -> Stamp?
  /// Whether the author of the second stamp had seen the first; both its own writes and those of others.
  let knew: (_ earlier: Stamp, _ later: Stamp) throws -> Bool
  /// The members of the class of a record, as far as it has been worked out.
  let members: (_ id: RecordID, _ entity: EntityNumber) throws -> [RecordKey]
  /// The id that stands for an id, as far as it has been worked out.
  let canonical: (RecordID) throws -> RecordID
  /// The record that has the facts of an id.
  let root: (_ id: RecordID, _ entity: EntityNumber) throws -> RecordID
  let isModuloAlias: Bool

  /// Whether claims on keys of `index` make two records one.
  func join(_ left: RecordKey, _ right: RecordKey, _ index: CatalogueIndex) throws -> Bool {
    let others = try claims(right, index)
    return try claims(left, index).contains { claim in
      try others.contains { other in
        try claim.overlaps(other) && isSameKey(claim, other) && !areOrdered(claim, of: left, other, of: right, index)
      }
    }
  }

  private func isSameKey(_ left: HeldClaim, _ right: HeldClaim) throws -> Bool {
    try zip(left.components, right.components).allSatisfy { pair in
      guard case (.reference(let first), .reference(let second)) = pair, isModuloAlias else { return pair.0 == pair.1 }
      return try first == second || canonical(first) == canonical(second)
    }
  }

  private func areOrdered(
    _ left: HeldClaim, of one: RecordKey, _ right: HeldClaim, of other: RecordKey, _ index: CatalogueIndex
  ) throws -> Bool {
    // A default is nobody's claim.
    if left.start == .zero || right.start == .zero { return true }
    // One transaction gave both records the value: they are one for it, unless it deleted one of them.
    if left.start == right.start { return try deleted(one) == left.start || deleted(other) == left.start }
    let later = max(left.start, right.start)
    var visited: Set<RecordKey> = []
    return try knewAll(left.writes + right.writes, later)
      && wereSame(left, right, index, for: later, &visited)
  }

  private func knewAll(_ writes: [Stamp], _ later: Stamp) throws -> Bool {
    try writes.allSatisfy { try knew($0, later) }
  }

  /// Whether the author of `later` knew that the references of two keys name the same records.
  private func wereSame(
    _ left: HeldClaim, _ right: HeldClaim, _ index: CatalogueIndex, for later: Stamp, _ visited: inout Set<RecordKey>
  ) throws -> Bool {
    for (position, pair) in zip(left.components, right.components).enumerated() {
      guard case (.reference(let first), .reference(let second)) = pair else {
        if pair.0 != pair.1 { return false }
        continue
      }
      let entities = targets(of: index, position)
      if first == second { continue }
      guard try entities.contains(where: { try wereOne(first, second, of: $0, for: later, &visited) }) else {
        return false
      }
    }
    return true
  }

  private func targets(of index: CatalogueIndex, _ position: Int) -> [EntityNumber] {
    let rule = rules.first { $0.entity.indexes.contains { $0.number == index.number } }
    return rule?.reference(at: index.components[position].ordinal)?.targets ?? []
  }

  /// Whether two records were one by claims that the author of `later` knew.
  func wereOne(
    _ first: RecordID, _ second: RecordID, of entity: EntityNumber, for later: Stamp, _ visited: inout Set<RecordKey>
  ) throws -> Bool {
    let start = RecordKey(entity: entity, id: try root(first, entity))
    let goal = RecordKey(entity: entity, id: try root(second, entity))
    if start == goal { return true }
    let candidates = try members(start.id, entity)
    guard candidates.contains(goal), visited.insert(start).inserted else { return false }
    defer { visited.remove(start) }
    var reached: Set<RecordKey> = [start]
    var pending = [start]
    while let current = pending.popLast() {
      for next in candidates where !reached.contains(next) {
        guard try wereJoined(current, next, for: later, &visited) else { continue }
        if next == goal { return true }
        reached.insert(next)
        pending.append(next)
      }
    }
    return false
  }

  private func wereJoined(
    _ left: RecordKey, _ right: RecordKey, for later: Stamp, _ visited: inout Set<RecordKey>
  ) throws -> Bool {
    for position in rules[left.entity].uniquePositions {
      let index = rules[left.entity].indexes[position].index
      for claim in try claims(left, index) where try knewAll(claim.writes, later) {
        for other in try claims(right, index) where try claim.overlaps(other) && knewAll(other.writes, later) {
          guard try isSameKey(claim, other), try wereSame(claim, other, index, for: later, &visited),
            try !areOrdered(claim, of: left, other, of: right, index)
          else { continue }
          return true
        }
      }
    }
    return false
  }
}
