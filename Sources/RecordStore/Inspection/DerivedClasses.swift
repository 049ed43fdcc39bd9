/// Alias classes worked out from all records at once, by trying every pair until nothing changes: the reading of
/// the rule that commits are checked against. See ``ClaimPairs`` for what the rule is.
struct DerivedClasses {
  private struct Tenure {
    let holder: RecordKey
    let index: Int
    let values: [FieldValue]
    let writes: [Stamp]
    let until: Stamp?
    var since: Stamp { writes.max() ?? .zero }
  }

  private let layout: StoreLayout
  private let records: [RecordKey: RecordFacts]
  private let roots: [RecordID: RecordID]
  private let knew: (Stamp, Stamp) throws -> Bool
  private var tenures: [RecordKey: [Tenure]] = [:]
  /// The id that stands for each record.
  private(set) var canonical: [RecordKey: RecordID]

  /// `records`: as written. `past`: their overwritten unique values. `roots`: ids joined for good by an earlier
  /// build, with the record that has their facts.
  init(
    _ records: [RecordKey: RecordFacts], past: [RecordKey: [PastWrite]], roots: [RecordID: RecordID],
    layout: StoreLayout, knew: @escaping (Stamp, Stamp) throws -> Bool
  ) throws {
    self.records = records
    self.layout = layout
    self.roots = roots
    self.knew = knew
    canonical = Dictionary(uniqueKeysWithValues: records.keys.map { ($0, $0.id) })
    for (key, facts) in records { tenures[key] = tenures(of: facts, past[key] ?? []) }
    // An author's knowledge of which records are one depends on which are one; a few rounds settle it.
    for _ in 0..<32 {
      let known = canonical
      canonical = try leastClasses(knowing: known)
      if canonical == known { break }
    }
  }

  private func tenures(of facts: RecordFacts, _ past: [PastWrite]) -> [Tenure] {
    guard facts.isInserted else { return [] }
    let writes = past.map(\.register) + facts.registers
    let entity = layout.catalogue.entities[facts.entity]
    return entity.indexes.filter(\.isUnique).flatMap { index -> [Tenure] in
      let fields = index.components.map { entity.fields[$0.ordinal] }
      let byField = fields.map { field in writes.filter { $0.ordinal == field.ordinal } }
      let birth = byField.map { $0.map(\.stamp).min() ?? .zero }.max() ?? .zero
      let moments = Set(byField.joined().map(\.stamp) + [birth]).filter { $0 >= birth }.sorted()
      return zip(moments, moments.dropFirst().map { Optional($0) } + [nil]).compactMap { moment, until in
        let last = byField.map { $0.filter { $0.stamp <= moment }.max { $0.stamp < $1.stamp } }
        let values = zip(last, fields).map { register, field -> FieldValue in
          guard let value = register?.value, value != .null || field.isOptional else { return field.valueWhenAbsent }
          return value
        }
        if values.contains(.null) { return nil }
        return Tenure(
          holder: RecordKey(entity: facts.entity, id: facts.id), index: index.number, values: values,
          writes: last.map { $0?.stamp ?? .zero }, until: until)
      }
    }
  }

  private func leastClasses(knowing known: [RecordKey: RecordID]) throws -> [RecordKey: RecordID] {
    var classes = Dictionary(uniqueKeysWithValues: records.keys.map { ($0, $0.id) })
    while true {
      let names = Dictionary(classes.map { ($0.key.id, $0.value) }, uniquingKeysWith: min)
      let holders = Dictionary(grouping: tenures.values.joined()) { tenure in
        [[UInt8](withUnsafeBytes(of: UInt64(tenure.index)) { Array($0) })]
          + tenure.values.map { bytes(of: $0, names) }
      }
      var hasChanged = false
      for group in holders.values where group.count > 1 {
        for (place, left) in group.enumerated() {
          for right in group[..<place] where classes[left.holder] != classes[right.holder] {
            guard overlap(left, right), try !wasKnown(left, right, known), let one = classes[left.holder],
              let other = classes[right.holder]
            else { continue }
            for (key, id) in classes where id == max(one, other) && key.entity == left.holder.entity {
              classes[key] = min(one, other)
            }
            hasChanged = true
          }
        }
      }
      if !hasChanged { return classes }
    }
  }

  private func bytes(of value: FieldValue, _ names: [RecordID: RecordID]) -> [UInt8] {
    var encoder = KeyEncoder()
    if case .reference(let id) = value {
      let root = roots[id] ?? id
      encoder.append(.reference(names[root] ?? root))
    } else {
      encoder.append(value)
    }
    return encoder.bytes
  }

  private func overlap(_ left: Tenure, _ right: Tenure) -> Bool {
    let begin = max(left.since, right.since)
    return (left.until ?? .greatest) > begin && (right.until ?? .greatest) > begin
  }

  /// Whether the author of the later one knew of the earlier.
  private func wasKnown(_ left: Tenure, _ right: Tenure, _ known: [RecordKey: RecordID]) throws -> Bool {
    if min(left.since, right.since) == .zero { return true }
    if left.since == right.since {
      return records[left.holder]?.deleted == left.since || records[right.holder]?.deleted == left.since
    }
    let later = max(left.since, right.since)
    guard try (left.writes + right.writes).allSatisfy({ try knew($0, later) }) else { return false }
    return try zip(left.values, right.values).allSatisfy { try wasSame($0, $1, for: later, known, []) }
  }

  private func wasSame(
    _ left: FieldValue, _ right: FieldValue, for later: Stamp, _ known: [RecordKey: RecordID],
    _ visited: Set<RecordKey>
  ) throws -> Bool {
    guard case .reference(let first) = left, case .reference(let second) = right else {
      return bytes(of: left, [:]) == bytes(of: right, [:])
    }
    let (from, to) = (roots[first] ?? first, roots[second] ?? second)
    if from == to { return true }
    guard let start = known.keys.first(where: { $0.id == from && !layout.rules[$0.entity].uniquePositions.isEmpty }),
      !visited.contains(start)
    else { return false }
    let classmates = known.keys.filter { known[$0] == known[start] && $0.entity == start.entity }
    var reached: Set<RecordKey> = [start]
    var frontier: Set<RecordKey> = [start]
    while !frontier.isEmpty {
      var next: Set<RecordKey> = []
      for mate in classmates where !reached.contains(mate) {
        let isNear = try frontier.contains { near in
          try (tenures[near] ?? []).contains { own in
            try (tenures[mate] ?? []).contains { other in
              guard own.index == other.index, overlap(own, other),
                try (own.writes + other.writes).allSatisfy({ try knew($0, later) })
              else { return false }
              let isSame = try zip(own.values, other.values).allSatisfy {
                try wasSame($0, $1, for: later, known, visited.union([start]))
              }
              return try isSame && !wasKnown(own, other, known)
            }
          }
        }
        if isNear { next.insert(mate) }
      }
      reached.formUnion(next)
      frontier = next
    }
    return reached.contains { $0.id == to }
  }
}

extension Stamp {
  fileprivate static let greatest = Stamp(time: .max, counter: .max, replica: ReplicaID(.max))
}
