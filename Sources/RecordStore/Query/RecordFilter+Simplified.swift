/// A filter that passes the same records, with what is decided beforehand taken out: the planner looks for
/// conditions it knows, and the compiler makes no node for what is always true.
extension RecordFilter {
  func simplified() -> RecordFilter {
    switch self {
    case .all, .none, .text, .localizedContains, .compareFields: return self
    case .ids(let ids): return ids.isEmpty ? .none : self
    case .compare(_, let comparison, let value): return simplifiedComparison(comparison, value)
    case .oneOf(let path, let values): return RecordFilter.simplifiedMembership(path, values)
    case .anyRelated(let relationship, let filter):
      let filter = filter.simplified()
      return filter == .none ? .none : .anyRelated(relationship: relationship, filter)
    case .allRelated(let relationship, let filter):
      let filter = filter.simplified()
      return filter == .all ? .all : .allRelated(relationship: relationship, filter)
    case .countRelated(let relationship, let filter, let comparison, let count):
      return .countRelated(relationship: relationship, filter.simplified(), comparison, count)
    case .and(let terms): return RecordFilter.simplifiedConjunction(terms)
    case .or(let terms): return RecordFilter.simplifiedDisjunction(terms)
    case .not(let filter): return filter.simplified().negated()
    }
  }

  /// Comparisons with null by order, and all with not-a-number, do not depend on the record.
  private func simplifiedComparison(_ comparison: Comparison, _ value: FieldValue) -> RecordFilter {
    guard !value.isNotANumber else { return comparison == .notEqual ? .all : .none }
    guard value == .null, comparison != .equal, comparison != .notEqual else { return self }
    return .none
  }

  private static func simplifiedMembership(_ path: FieldPath, _ values: [FieldValue]) -> RecordFilter {
    let values = values.filter { !$0.isNotANumber }
    switch values.count {
    case 0: return .none
    case 1: return .compare(path, .equal, values[0])
    default: return .oneOf(path, values)
    }
  }

  private static func simplifiedConjunction(_ terms: [RecordFilter]) -> RecordFilter {
    if terms.count > 1, terms.allSatisfy(\.isPlainComparison) { return .and(terms) }
    var flat: [RecordFilter] = []
    for term in terms.map({ $0.simplified() }) where term != .all {
      if case .and(let inner) = term { flat += inner } else { flat.append(term) }
    }
    if flat.contains(.none) { return .none }
    return flat.count > 1 ? .and(flat) : flat.first ?? .all
  }

  /// Whether it depends on the record for certain, as nearly all comparisons do.
  private var isPlainComparison: Bool {
    guard case .compare(_, _, let value) = self else { return false }
    if case .null = value { return false }
    return !value.isNotANumber
  }

  private static func simplifiedDisjunction(_ terms: [RecordFilter]) -> RecordFilter {
    var flat: [RecordFilter] = []
    for term in terms.map({ $0.simplified() }) where term != .none {
      if case .or(let inner) = term { flat += inner } else { flat.append(term) }
    }
    if flat.contains(.all) { return .all }
    return flat.count > 1 ? .or(flat) : flat.first ?? .none
  }

  private func negated() -> RecordFilter {
    switch self {
    case .all: .none
    case .none: .all
    case .not(let filter): filter
    case .compare(let path, .equal, let value): .compare(path, .notEqual, value)
    case .compare(let path, .notEqual, let value): .compare(path, .equal, value)
    default: .not(self)
    }
  }

  /// The conditions that all must hold.
  var conjuncts: [RecordFilter] {
    switch self {
    case .all: []
    case .and(let terms): terms
    default: [self]
    }
  }

  init(conjuncts: [RecordFilter]) {
    self = conjuncts.count > 1 ? .and(conjuncts) : conjuncts.first ?? .all
  }
}
