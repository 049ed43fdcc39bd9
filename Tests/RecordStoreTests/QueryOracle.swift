import Foundation
import RecordStore

/// What a query means, said again over plain values: slow, and with nothing in common with the engine.
struct QueryOracle {
  let catalogue: Catalogue
  let records: [RecordID: QueryFixture.Record]

  init(_ records: [QueryFixture.Record]) {
    catalogue = QueryFixture.catalogue(isIndexed: false)
    self.records = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
  }

  func identifiers(_ query: RecordQuery) -> [RecordID] {
    let base = catalogue.entities[query.entity]
    let found = records.values.filter { record in
      (record.entity == query.entity || (query.includesSubentities && isA(record.entity, base)))
        && passes(record, query.filter, base)
    }
    let sorted = found.sorted { isOrdered($0, before: $1, query.sort, base) }
    return sorted.dropFirst(query.offset).prefix(query.limit ?? .max).map(\.id)
  }

  private func isA(_ entity: EntityNumber, _ base: CatalogueEntity) -> Bool {
    catalogue.entities[entity].superentity == base.name
  }

  private func isOrdered(
    _ left: QueryFixture.Record, before right: QueryFixture.Record, _ sort: [RecordQuery.SortKey],
    _ base: CatalogueEntity
  ) -> Bool {
    for key in sort {
      let (left, right) = (value(key.path.ordinals[...], left, base), value(key.path.ordinals[...], right, base))
      let order = key.comparison == .natural ? left.swiftOrder(right) : left.orderForPeople(right)
      if order != 0 { return (order < 0) != key.isDescending }
    }
    return left.id < right.id
  }

  func value(
    _ ordinals: ArraySlice<Int>, _ record: QueryFixture.Record, _ base: CatalogueEntity
  ) -> FieldValue {
    let field = base.fields[ordinals.first!]
    let own = catalogue.entities[record.entity].field(named: field.name)!
    let stored = record.dangling.contains(own.ordinal) ? .null : record.values[own.ordinal]
    let value = stored ?? own.defaultValue ?? own.zeroOrNull
    guard ordinals.count > 1 else { return value }
    guard case .reference(let id) = value, let target = records[id] else { return .null }
    return self.value(ordinals.dropFirst(), target, catalogue.entity(named: field.destination!)!)
  }

  func passes(_ record: QueryFixture.Record, _ filter: RecordFilter, _ base: CatalogueEntity) -> Bool {
    func read(_ path: FieldPath) -> FieldValue { value(path.ordinals[...], record, base) }
    switch filter {
    case .all: return true
    case .none: return false
    case .compare(let path, let comparison, let value): return holds(read(path), comparison, value)
    case .compareFields(let left, let comparison, let right): return holds(read(left), comparison, read(right))
    case .oneOf(let path, let values): return values.contains { holds(read(path), .equal, $0) }
    case .text(let path, let match, let text):
      guard let candidate = read(path).text else { return false }
      switch match {
      case .contains: return text.isEmpty || contains(Array(candidate), Array(text))
      case .hasPrefix: return Array(candidate).starts(with: Array(text))
      case .hasSuffix: return Array(candidate).reversed().starts(with: Array(text).reversed())
      }
    case .localizedContains(let path, let text):
      guard let candidate = read(path).text else { return false }
      return text.isEmpty || candidate.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    case .ids(let ids): return ids.contains(record.id)
    case .anyRelated(let name, let inner): return related(name, record, base).contains { passes($0.0, inner, $0.1) }
    case .allRelated(let name, let inner):
      return related(name, record, base).allSatisfy { passes($0.0, inner, $0.1) }
    case .countRelated(let name, let inner, let comparison, let count):
      let found = related(name, record, base).count { passes($0.0, inner, $0.1) }
      return holds(.int(Int64(found)), comparison, .int(Int64(count)))
    case .and(let terms): return terms.allSatisfy { passes(record, $0, base) }
    case .or(let terms): return terms.contains { passes(record, $0, base) }
    case .not(let inner): return !passes(record, inner, base)
    }
  }

  private func contains(_ candidate: [Character], _ part: [Character]) -> Bool {
    candidate.indices.contains { candidate[$0...].starts(with: part) }
  }

  private func holds(_ left: FieldValue, _ comparison: RecordFilter.Comparison, _ right: FieldValue) -> Bool {
    guard left != .null, right != .null else {
      return switch comparison {
      case .equal: left == right
      case .notEqual: left != right
      default: false
      }
    }
    if left.isNaN || right.isNaN { return comparison == .notEqual }
    let order = left.swiftOrder(right)
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// The records at the other end, with the entity that a filter on them is about.
  private func related(
    _ name: String, _ record: QueryFixture.Record, _ base: CatalogueEntity
  ) -> [(QueryFixture.Record, CatalogueEntity)] {
    func named(_ ids: [FieldValue], _ entity: String) -> [(QueryFixture.Record, CatalogueEntity)] {
      ids.compactMap { value in
        guard case .reference(let id) = value, let record = records[id] else { return nil }
        return (record, catalogue.entity(named: entity)!)
      }
    }
    func people(referringBy ordinal: Int) -> [(QueryFixture.Record, CatalogueEntity)] {
      records.values.filter { $0.entity < 2 && value([ordinal], $0, catalogue.entities[0]) == .reference(record.id) }
        .map { ($0, catalogue.entities[0]) }
    }
    func linked(near: Int, far: Int, _ entity: String) -> [(QueryFixture.Record, CatalogueEntity)] {
      let links = records.values.filter { $0.entity == 4 && $0.values[near] == .reference(record.id) }
      return named(links.compactMap { $0.values[far] }, entity)
    }
    switch (base.name, name) {
    case ("Person", "team"): return named([value([8], record, base)], "Team")
    case ("Person", "boss"): return named([value([12], record, base)], "Person")
    case ("Person", "reports"): return people(referringBy: 12)
    case ("Person", "tags"): return linked(near: 0, far: 1, "Tag")
    case ("Team", "members"): return people(referringBy: 8)
    case ("Tag", "people"): return linked(near: 1, far: 0, "Person")
    default: preconditionFailure("the shared schema has no such relationship")
    }
  }
}

extension CatalogueField {
  fileprivate var zeroOrNull: FieldValue {
    guard !isOptional else { return .null }
    return switch type {
    case .int: .int(0)
    case .uint: .uint(0)
    case .bool: .bool(false)
    default: .string("")
    }
  }
}

extension FieldValue {
  fileprivate var text: String? {
    switch self {
    case .string(let text), .url(let text): text
    default: nil
    }
  }

  fileprivate var isNaN: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }
}

extension FieldValue {
  /// Only texts stand otherwise than in Swift's order.
  fileprivate func orderForPeople(_ other: FieldValue) -> Int {
    switch (self, other) {
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)):
      let (left, right) = (CollationKey.bytes(of: left), CollationKey.bytes(of: right))
      return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    default: return swiftOrder(other)
    }
  }
}
