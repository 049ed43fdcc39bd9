/// One value of a unique key as one record held it: from a write of one of the key's fields to the next write
/// of one of them.
///
/// Worked out from the record's own writes, those that have been overwritten included. Every write begins a new
/// claim, one of an equal value too. A key with a null component holds nothing. References stand as they were
/// written; whether two of them name one record is asked where claims are compared.
struct HeldClaim {
  enum Component: Hashable {
    /// The bytes of an index key, which are equal for values that count as equal.
    case value([UInt8])
    case reference(RecordID)
  }

  /// Under the key of the references as written.
  let key: ClaimKey
  let components: [Component]
  /// When each component was written; ``Stamp/zero`` for a default.
  let writes: [Stamp]
  /// The newest of `writes`.
  let start: Stamp
  /// The next write of a component; nil while there is none.
  let end: Stamp?

  func overlaps(_ other: HeldClaim) -> Bool {
    let begin = max(start, other.start)
    return end.map { begin < $0 } ?? true && other.end.map { begin < $0 } ?? true
  }

  var references: [RecordID] {
    components.compactMap { if case .reference(let id) = $0 { id } else { nil } }
  }
}

extension HeldClaim {
  /// Every claim that a record made on keys of `index`, in order of time. Cost: one pass over the writes of the
  /// key's fields for each of them.
  static func all(
    of facts: RecordFacts, _ past: [PastWrite], _ index: CatalogueIndex, _ entity: CatalogueEntity
  ) -> [HeldClaim] {
    guard facts.isInserted else { return [] }
    let histories = index.components.map { FieldHistory(of: entity.fields[$0.ordinal], facts, past) }
    // Before each component was written for the first time, the record was not there.
    let first = histories.map(\.first).max() ?? .zero
    var moments: Set<Stamp> = [first]
    for history in histories { moments.formUnion(history.writes.lazy.map(\.stamp).filter { $0 > first }) }
    let sorted = moments.sorted()
    return sorted.indices.compactMap { position in
      let next = position + 1 < sorted.count ? sorted[position + 1] : nil
      return claim(histories.map { $0.write(at: sorted[position]) }, until: next, index)
    }
  }

  private static func claim(
    _ writes: [FieldHistory.Write], until end: Stamp?, _ index: CatalogueIndex
  ) -> HeldClaim? {
    guard writes.allSatisfy({ $0.value != .null }) else { return nil }
    var bytes: [UInt8] = []
    _ = IndexKey.append(index, to: &bytes) { ordinal in
      index.components.firstIndex { $0.ordinal == ordinal }.map { writes[$0].value } ?? .null
    }
    return HeldClaim(
      key: ClaimKey(index: index.number, bytes: bytes), components: writes.map { component(of: $0.value) },
      writes: writes.map(\.stamp), start: writes.map(\.stamp).max() ?? .zero, end: end)
  }

  private static func component(of value: FieldValue) -> Component {
    if case .reference(let id) = value { return .reference(id) }
    var encoder = KeyEncoder()
    encoder.append(value)
    return .value(encoder.bytes)
  }
}

/// All that was ever written to one field of one record, in order of time.
private struct FieldHistory {
  struct Write {
    let stamp: Stamp
    let value: FieldValue
  }

  private let absent: FieldValue
  let writes: [Write]

  init(of field: CatalogueField, _ facts: RecordFacts, _ past: [PastWrite]) {
    absent = field.valueWhenAbsent
    var writes = past.filter { $0.ordinal == field.ordinal }.map { Write(stamp: $0.stamp, value: $0.value) }
    if let register = facts.register(at: field.ordinal) {
      writes.append(Write(stamp: register.stamp, value: register.value))
    }
    let absent = absent
    self.writes = writes.sorted { $0.stamp < $1.stamp }.map { write in
      let isReplaced = write.value == .null && !field.isOptional
      return isReplaced ? Write(stamp: write.stamp, value: absent) : write
    }
  }

  var first: Stamp { writes.first?.stamp ?? .zero }

  func write(at moment: Stamp) -> Write {
    writes.last { $0.stamp <= moment } ?? Write(stamp: .zero, value: absent)
  }
}
