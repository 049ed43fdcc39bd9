import Foundation
import RecordStore

// Checked evaluation of each of Foundation's expressions. Foundation decides what an expression means; only where it
// would trap, ours throws, and values compare as the store compares them.

extension PredicateExpressions.Value: CheckedExpression {}
extension PredicateExpressions.NilLiteral: CheckedExpression {}
extension PredicateExpressions.Variable: CheckedExpression {}

extension PredicateExpressions.KeyPath: CheckedExpression where Root: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try root.checked(bindings)[keyPath: keyPath] }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try CheckedArithmetic.combine(lhs.checked(bindings), op, rhs.checked(bindings))
  }
}

extension PredicateExpressions.UnaryMinus: CheckedExpression where Wrapped: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let value = try wrapped.checked(bindings)
    // Subtracted from zero, a floating point zero would lose its sign.
    return value is any FixedWidthInteger ? try CheckedArithmetic.negate(value) : -value
  }
}

extension PredicateExpressions.IntDivision: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try CheckedArithmetic.divide(lhs.checked(bindings), by: rhs.checked(bindings))
  }
}

extension PredicateExpressions.IntRemainder: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try CheckedArithmetic.remainder(lhs.checked(bindings), by: rhs.checked(bindings))
  }
}

extension PredicateExpressions.FloatDivision: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) / rhs.checked(bindings)
  }
}

// MARK: Comparisons and ranges

extension PredicateExpressions.Equal: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    StoredEquality.equal(try lhs.checked(bindings), try rhs.checked(bindings))
  }
}

extension PredicateExpressions.NotEqual: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    !StoredEquality.equal(try lhs.checked(bindings), try rhs.checked(bindings))
  }
}

extension PredicateExpressions.Comparison: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    let left = try lhs.checked(bindings)
    let right = try rhs.checked(bindings)
    if FieldOrder.differsFromSwift(for: LHS.Output.self), let comparison {
      return comparison.holds(for: FieldOrder(of: left, right))
    }
    return switch op {
    case .lessThan: left < right
    case .lessThanOrEqual: left <= right
    case .greaterThan: left > right
    case .greaterThanOrEqual: left >= right
    @unknown default: try evaluate(bindings)
    }
  }
}

extension PredicateExpressions.Range: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let from = try lower.checked(bindings)
    let to = try upper.checked(bindings)
    guard from <= to else { throw EvaluationFailure.invalidRange }
    return from..<to
  }
}

extension PredicateExpressions.ClosedRange: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let from = try lower.checked(bindings)
    let to = try upper.checked(bindings)
    guard from <= to else { throw EvaluationFailure.invalidRange }
    return from...to
  }
}

extension PredicateExpressions.RangeExpressionContains: CheckedExpression
where RangeExpression: CheckedExpression, Element: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    let range = try range.checked(bindings)
    let element = try element.checked(bindings)
    guard FieldOrder.differsFromSwift(for: Element.Output.self), let bounded = range as? any BoundedRange else {
      return range.contains(element)
    }
    return bounded.bounds.contains(element)
  }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try lhs.checked(bindings) && rhs.checked(bindings)
  }
}

extension PredicateExpressions.Disjunction: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try lhs.checked(bindings) || rhs.checked(bindings)
  }
}

extension PredicateExpressions.Negation: CheckedExpression where Wrapped: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool { try !wrapped.checked(bindings) }
}

extension PredicateExpressions.Conditional: CheckedExpression
where Test: CheckedExpression, If: CheckedExpression, Else: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try test.checked(bindings) ? trueBranch.checked(bindings) : falseBranch.checked(bindings)
  }
}

// MARK: Optionals

extension PredicateExpressions.OptionalFlatMap: CheckedExpression
where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    guard let value = try wrapped.checked(bindings) else { return nil }
    // The closure gives a `Result` or an optional one; both are read as optional.
    return try transform.checked(bindings.binding(variable, to: value)) as? Result
  }
}

extension PredicateExpressions.NilCoalesce: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try lhs.checked(bindings) ?? rhs.checked(bindings)
  }
}

extension PredicateExpressions.ForcedUnwrap: CheckedExpression where Inner: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    guard let value = try inner.checked(bindings) else { throw EvaluationFailure.missingValue }
    return value
  }
}

// MARK: Types

extension PredicateExpressions.ConditionalCast: CheckedExpression where Input: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try input.checked(bindings) as? Desired }
}

extension PredicateExpressions.ForceCast: CheckedExpression where Input: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    guard let value = try input.checked(bindings) as? Desired else { throw EvaluationFailure.missingValue }
    return value
  }
}

extension PredicateExpressions.TypeCheck: CheckedExpression where Input: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool { try input.checked(bindings) is Desired }
}

// MARK: Sequences

extension PredicateExpressions.SequenceContains: CheckedExpression
where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    let values = try sequence.checked(bindings)
    let element = try element.checked(bindings)
    // Asked by `contains`, the matches of a predicate could not tell that it means nothing for the element.
    if LHS.Output.self is any AnyPredicateMatches.Type, let matches = values as? any AnyPredicateMatches {
      return try matches.evaluate(element)
    }
    return values.contains(element) && StoredEquality.equal(element, element)
  }
}

extension PredicateExpressions.SequenceContainsWhere: CheckedExpression
where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try sequence.checked(bindings).contains { try test.checked(bindings.binding(variable, to: $0)) }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckedExpression
where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try sequence.checked(bindings).allSatisfy { try test.checked(bindings.binding(variable, to: $0)) }
  }
}

extension PredicateExpressions.Filter: CheckedExpression where LHS: CheckedExpression, RHS: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try sequence.checked(bindings).filter { try filter.checked(bindings.binding(variable, to: $0)) }
  }
}

extension PredicateExpressions.SequenceMaximum: CheckedExpression where Elements: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try elements.checked(bindings).max() }
}

extension PredicateExpressions.SequenceMinimum: CheckedExpression where Elements: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try elements.checked(bindings).min() }
}

extension PredicateExpressions.SequenceStartsWith: CheckedExpression
where Base: CheckedExpression, Prefix: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try base.checked(bindings).starts(with: prefix.checked(bindings))
  }
}

// MARK: Collections

extension PredicateExpressions.CollectionContainsCollection: CheckedExpression
where Base: CheckedExpression, Other: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try base.checked(bindings).contains(other.checked(bindings))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: CheckedExpression
where Wrapped: CheckedExpression, Index: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let values = try wrapped.checked(bindings)
    let place = try index.checked(bindings)
    guard place >= values.startIndex, place < values.endIndex else { throw EvaluationFailure.invalidRange }
    return values[place]
  }
}

extension PredicateExpressions.CollectionRangeSubscript: CheckedExpression
where Wrapped: CheckedExpression, Range: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let values = try wrapped.checked(bindings)
    let places = try range.checked(bindings)
    guard places.lowerBound >= values.startIndex, places.upperBound <= values.endIndex else {
      throw EvaluationFailure.invalidRange
    }
    return values[places]
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckedExpression
where Wrapped: CheckedExpression, Key: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try wrapped.checked(bindings)[key.checked(bindings)]
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckedExpression
where Wrapped: CheckedExpression, Key: CheckedExpression, Default: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    try wrapped.checked(bindings)[key.checked(bindings)] ?? self.default.checked(bindings)
  }
}

// MARK: Texts and other expressions

extension PredicateExpressions.StringContainsRegex: CheckedExpression
where Subject: CheckedExpression, Regex: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Bool {
    try subject.checked(bindings).contains(regex.checked(bindings))
  }
}

extension PredicateExpressions.ExpressionEvaluate: CheckedExpression
where Transformation: CheckedExpression, repeat each Input: CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output {
    let inner = try expression.checked(bindings)
    let values = PredicateBindings(repeat (each inner.variable, try (each input).checked(bindings)))
    return try inner.expression.checkedValue(values)
  }
}
