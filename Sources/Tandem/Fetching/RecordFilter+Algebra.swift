import Foundation
import RecordStore

extension RecordFilter {
  /// All of them, without nesting and without what is always true.
  static func conjunction(_ filters: [RecordFilter]) -> RecordFilter {
    let parts = filters.flatMap { filter in
      if case .and(let inner) = filter { return inner }
      return filter == .all ? [] : [filter]
    }
    if parts.contains(.none) { return RecordFilter.none }
    return parts.count > 1 ? .and(parts) : parts.first ?? .all
  }

  /// Any of them, without nesting and without what is never true.
  static func disjunction(_ filters: [RecordFilter]) -> RecordFilter {
    let parts = filters.flatMap { filter in
      if case .or(let inner) = filter { return inner }
      return filter == .none ? [] : [filter]
    }
    if parts.contains(.all) { return .all }
    return parts.count > 1 ? .or(parts) : parts.first ?? RecordFilter.none
  }

  static func negation(_ filter: RecordFilter) -> RecordFilter {
    switch filter {
    case .all: RecordFilter.none
    case .none: .all
    case .not(let inner): inner
    default: .not(filter)
    }
  }

  /// Whether it is false for certain where the field is nil.
  func isFalse(whenNil path: FieldPath) -> Bool {
    switch self {
    case .none: true
    case .compare(let own, .equal, let value): own.hasPrefix(path) && value != .null
    case .compare(_, .notEqual, .null): false
    case .compare(let own, let comparison, _): own.hasPrefix(path) && comparison != .notEqual
    case .oneOf(let own, let values): own.hasPrefix(path) && !values.contains(.null)
    case .text(let own, _, _), .localizedContains(let own, _): own.hasPrefix(path)
    case .and(let parts): parts.contains { $0.isFalse(whenNil: path) }
    case .or(let parts): parts.allSatisfy { $0.isFalse(whenNil: path) }
    default: false
    }
  }
}

extension RecordFilter.Comparison {
  /// The comparison with its sides exchanged.
  var mirrored: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// Whether it holds between two values of one type; nil for types that it is not used with.
  func holds(_ left: FieldValue, _ right: FieldValue) -> Bool? {
    switch (left, right) {
    case (.int(let left), .int(let right)): holds(left, right)
    case (.uint(let left), .uint(let right)): holds(left, right)
    case (.double(let left), .double(let right)): holds(left, right)
    case (.decimal(let left), .decimal(let right)): holds(left, right)
    case (.string(let left), .string(let right)): holds(left, right)
    case (.date(let left), .date(let right)): holds(left, right)
    case (.bool, .bool), (.uuid, .uuid), (.data, .data), (.url, .url):
      self == .equal ? left == right : self == .notEqual ? left != right : nil
    default: nil
    }
  }

  private func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    holds(for: FieldOrder(of: left, right))
  }
}
