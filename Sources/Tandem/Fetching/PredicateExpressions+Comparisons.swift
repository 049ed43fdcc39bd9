import Foundation
import RecordStore

extension PredicateTranslator {
  fileprivate mutating func compare<Left: PredicateExpression, Right: PredicateExpression>(
    _ left: Left, _ comparison: RecordFilter.Comparison, _ right: Right
  ) -> RecordFilter? {
    guard let left = operand(left), let right = operand(right) else { return nil }
    return PredicateComparison(comparison).filter(left, right)
  }
}

extension PredicateExpressions.Equal: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? { translator.compare(lhs, .equal, rhs) }
}

extension PredicateExpressions.NotEqual: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? { translator.compare(lhs, .notEqual, rhs) }
}

extension PredicateExpressions.Comparison: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    comparison.flatMap { translator.compare(lhs, $0, rhs) }
  }
}

extension PredicateExpressions.Comparison {
  /// Nil for one that a later Foundation has.
  var comparison: RecordFilter.Comparison? {
    switch op {
    case .lessThan: .less
    case .lessThanOrEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanOrEqual: .greaterOrEqual
    @unknown default: nil
    }
  }
}

extension PredicateExpressions.RangeExpressionContains: FilterExpression {
  func filter(_ translator: inout PredicateTranslator) -> RecordFilter? {
    guard case .constant(let range) = translator.operand(range), let bounds = (range as? any BoundedRange)?.bounds,
      let element = translator.operand(element)
    else { return nil }
    return bounds.filter(element)
  }
}

/// The ends of a range of any kind.
struct RangeBounds {
  var lower: Any?
  var upper: (value: Any, isIncluded: Bool)?

  func filter(_ element: PredicateOperand) -> RecordFilter? {
    var parts: [RecordFilter] = []
    if let lower {
      guard let part = PredicateComparison(.greaterOrEqual).filter(element, .constant(lower)) else { return nil }
      parts.append(part)
    }
    if let upper {
      let comparison = PredicateComparison(upper.isIncluded ? .lessOrEqual : .less)
      guard let part = comparison.filter(element, .constant(upper.value)) else { return nil }
      parts.append(part)
    }
    return .conjunction(parts)
  }

  /// Whether a value lies between the ends, as the filter decides. They are of its type.
  func contains<Value: Comparable>(_ value: Value) -> Bool {
    func holds(_ comparison: RecordFilter.Comparison, _ end: Any?) -> Bool {
      (end as? Value).map { comparison.holds(for: FieldOrder(of: value, $0)) } ?? true
    }
    return holds(.greaterOrEqual, lower) && holds(upper?.isIncluded == true ? .lessOrEqual : .less, upper?.value)
  }
}

protocol BoundedRange {
  var bounds: RangeBounds { get }
}
extension Range: BoundedRange {
  var bounds: RangeBounds { RangeBounds(lower: lowerBound, upper: (upperBound, false)) }
}
extension ClosedRange: BoundedRange {
  var bounds: RangeBounds { RangeBounds(lower: lowerBound, upper: (upperBound, true)) }
}
extension PartialRangeFrom: BoundedRange {
  var bounds: RangeBounds { RangeBounds(lower: lowerBound) }
}
extension PartialRangeUpTo: BoundedRange {
  var bounds: RangeBounds { RangeBounds(upper: (upperBound, false)) }
}
extension PartialRangeThrough: BoundedRange {
  var bounds: RangeBounds { RangeBounds(upper: (upperBound, true)) }
}
