import RecordStore

/// Which ids are one record: those that held one unique value at the same time without the later author knowing of
/// the earlier. Keys with a reference compare what stands for its target, so joining targets may join holders: the
/// least set of joins that needs no further one.
extension OracleState {
  /// A unique value held by one member from a write until the next.
  struct Claim {
    var member: RecordID
    var from: OracleStamp
    var until: OracleStamp?
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
            guard meet(left, right), !knew(left.from, right.from) else { continue }
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

  /// Whether the author of the later of two writes knew the earlier.
  func knew(_ left: OracleStamp, _ right: OracleStamp) -> Bool {
    guard let earlier = byStamp[min(left, right)], let later = byStamp[max(left, right)] else { return false }
    return earlier.stamp == later.stamp || later.knew(earlier)
  }

  private mutating func join(_ left: RecordID, _ right: RecordID) {
    let (left, right) = (root(left), root(right))
    canonical[max(left, right)] = min(left, right)
  }

  /// Who ever held which unique value.
  func claims() -> [ClaimKey: [Claim]] {
    var found: [ClaimKey: [Claim]] = [:]
    for (id, member) in members.sorted(by: { $0.key < $1.key }) where member.isInserted {
      for key in entities[member.entity]?.unique ?? [] {
        let stamps = Set(key.flatMap { member.writes[$0]?.map(\.stamp) ?? [] }).sorted()
        for (index, stamp) in stamps.enumerated() {
          let values = key.map { value(of: member, $0, at: stamp) }
          guard !values.contains(.null) else { continue }
          let until = index + 1 < stamps.count ? stamps[index + 1] : nil
          let claim = ClaimKey(entity: member.entity, key: key, values: values)
          found[claim, default: []].append(Claim(member: id, from: stamp, until: until))
        }
      }
    }
    return found
  }

  private func value(of member: Member, _ field: String, at stamp: OracleStamp) -> FieldValue {
    guard let write = member.writes[field]?.last(where: { $0.stamp <= stamp }) else { return .null }
    if case .reference(let id) = write.value { return .reference(root(id)) }
    return write.value
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
