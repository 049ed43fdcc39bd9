/// The answers of a comparison, worked out once so that a row costs no `switch` over its kind.
struct ComparisonAnswers {
  let less, equal, greater, unordered: Bool
  /// Where the field is null and the constant is not: only "not equal" holds.
  let null: Bool

  init(_ comparison: RecordFilter.Comparison) {
    less = comparison.holds(for: .less)
    equal = comparison.holds(for: .equal)
    greater = comparison.holds(for: .greater)
    unordered = comparison.holds(for: .unordered)
    null = comparison == .notEqual
  }

  @inline(__always)
  func answer(for order: FieldOrder) -> Bool {
    switch order {
    case .less: less
    case .equal: equal
    case .greater: greater
    case .unordered: unordered
    }
  }
}
