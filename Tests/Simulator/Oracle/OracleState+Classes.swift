import RecordStore

/// Which ids are one record: those that held one unique value at the same time without the later author knowing of
/// the earlier, and those to which one transaction gave the value. Keys with a reference compare what stands for its
/// target, so joining targets may join holders: the least set of joins that needs no further one.
extension OracleState {
  /// A unique value held by one member from a write until the next.
  struct Claim {
    var member: RecordID
    var from: OracleStamp
    var until: OracleStamp?
    /// The writes of the key's fields that make it.
    var writes: [OracleStamp]
    /// As written: a reference by the id that its author knew.
    var values: [FieldValue]
  }

  struct ClaimKey: Hashable {
    var entity: String
    var key: [String]
    var values: [FieldValue]
  }

  mutating func joinMembers() {
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for (_, holders) in claims() where holders.count > 1 {
        for (index, left) in holders.enumerated() {
          for right in holders[(index + 1)...] where root(left.member) != root(right.member) {
            guard meet(left, right), !areOrdered(left, right) else { continue }
            join(left.member, right.member)
            hasChanged = true
          }
        }
      }
    }
  }

  private func meet(_ left: Claim, _ right: Claim) -> Bool {
    (right.until.map { left.from < $0 } ?? true) && (left.until.map { right.from < $0 } ?? true)
  }

  /// Whether the author of the later claim knew the earlier: all its writes, and that references that were written
  /// with different ids name one record.
  private func areOrdered(_ left: Claim, _ right: Claim) -> Bool {
    if left.from == right.from {
      if let draft, draft.stamp == left.from {
        return draft.canonical[left.member] != draft.canonical[right.member] || draft.canonical[left.member] == nil
      }
      return [left.member, right.member].contains { members[$0]?.deleted == left.from }
    }
    let later = max(left.from, right.from)
    guard (left.writes + right.writes).allSatisfy({ $0 <= later && knew($0, later) }) else { return false }
    return zip(left.values, right.values).allSatisfy { first, second in
      guard case .reference(let one) = first, case .reference(let other) = second, one != other else { return true }
      return wereOne(one, other, for: later)
    }
  }

  /// Whether two ids were one record in what the author of a transaction had seen and did.
  private func wereOne(_ left: RecordID, _ right: RecordID, for later: OracleStamp) -> Bool {
    guard let author = byStamp[later] else { return false }
    let seen = transactions.filter { $0.stamp == later || author.knew($0) }
    guard seen.count < transactions.count else { return root(left) == root(right) }
    let state = OracleState(seen, schema: schema)
    return state.root(left) == state.root(right)
  }

  /// Whether the author of the later of two writes knew the earlier.
  func knew(_ left: OracleStamp, _ right: OracleStamp) -> Bool {
    guard let earlier = byStamp[min(left, right)], let later = byStamp[max(left, right)] else { return false }
    return earlier.stamp == later.stamp || later.knew(earlier)
  }

  private mutating func join(_ left: RecordID, _ right: RecordID) {
    let (left, right) = (root(left), root(right))
    canonical[max(left, right)] = min(left, right)
  }

  /// All past and present holders of each unique value.
  func claims() -> [ClaimKey: [Claim]] {
    var found: [ClaimKey: [Claim]] = [:]
    for (id, member) in members.sorted(by: { $0.key < $1.key }) where member.isInserted {
      for key in entities[member.entity]?.unique ?? [] {
        let stamps = Set(key.flatMap { member.writes[$0]?.map(\.stamp) ?? [] }).sorted()
        for (index, stamp) in stamps.enumerated() {
          let current = key.map { field in member.writes[field]?.last { $0.stamp <= stamp } }
          let writes = current.compactMap(\.self)
          let values = writes.map { rooted($0.value) }
          guard writes.count == key.count, !values.contains(.null) else { continue }
          let until = index + 1 < stamps.count ? stamps[index + 1] : nil
          let claim = ClaimKey(entity: member.entity, key: key, values: values)
          found[claim, default: []].append(
            Claim(
              member: id, from: stamp, until: until, writes: writes.map(\.stamp), values: writes.map(\.value)))
        }
      }
    }
    return found
  }

  private func rooted(_ value: FieldValue) -> FieldValue {
    if case .reference(let id) = value { .reference(root(id)) } else { value }
  }

  /// The unique values that a row holds now.
  func currentClaims(of row: Row) -> [ClaimKey] {
    guard row.isInserted, let entity = entities[row.entity] else { return [] }
    return entity.unique.compactMap { key in
      let values = key.map { row.registers[$0]?.value ?? .null }
      return values.contains(.null) ? nil : ClaimKey(entity: row.entity, key: key, values: values)
    }
  }
}
