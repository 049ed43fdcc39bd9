extension RecordFilter {
  /// The filter with every id replaced by the one that stands for it: records and indexes hold only those.
  func resolvingAliases(_ canonical: (RecordID) throws -> RecordID) throws -> RecordFilter {
    guard namesRecords else { return self }
    func resolved(_ value: FieldValue) throws -> FieldValue {
      if case .reference(let id) = value { .reference(try canonical(id)) } else { value }
    }
    switch self {
    case .all, .none, .text, .localizedContains, .compareFields: return self
    case .compare(let path, let comparison, let value): return .compare(path, comparison, try resolved(value))
    case .oneOf(let path, let values): return .oneOf(path, try values.map(resolved))
    case .ids(let ids): return .ids(Set(try ids.map(canonical)))
    case .anyRelated(let name, let filter):
      return .anyRelated(relationship: name, try filter.resolvingAliases(canonical))
    case .allRelated(let name, let filter):
      return .allRelated(relationship: name, try filter.resolvingAliases(canonical))
    case .countRelated(let name, let filter, let comparison, let count):
      return .countRelated(relationship: name, try filter.resolvingAliases(canonical), comparison, count)
    case .and(let terms): return .and(try terms.map { try $0.resolvingAliases(canonical) })
    case .or(let terms): return .or(try terms.map { try $0.resolvingAliases(canonical) })
    case .not(let filter): return .not(try filter.resolvingAliases(canonical))
    }
  }

  /// Whether an id may be among the constants. Most conditions have none, and need no copy.
  private var namesRecords: Bool {
    switch self {
    case .all, .none, .text, .localizedContains, .compareFields: false
    case .compare(_, _, let value): if case .reference = value { true } else { false }
    case .oneOf, .ids, .anyRelated, .allRelated, .countRelated: true
    case .and(let terms), .or(let terms): terms.contains(where: \.namesRecords)
    case .not(let filter): filter.namesRecords
    }
  }
}
