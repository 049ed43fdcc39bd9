import Foundation

/// An expression that is evaluated without traps.
///
/// Foundation's own evaluation ends the process where an integer overflows, a divisor is zero or a range's ends are
/// exchanged. Such an expression means nothing for the object at hand, so here it throws, and the object is not
/// accepted. All expressions of Foundation conform, each as soon as its parts do; so one cast of the whole tells.
protocol CheckedExpression<Output>: PredicateExpression {
  /// The result of `evaluate`, or an error where that would trap.
  func checked(_ bindings: PredicateBindings) throws -> Output
}

extension CheckedExpression {
  func checked(_ bindings: PredicateBindings) throws -> Output { try evaluate(bindings) }
}

/// Why an expression has no value.
enum EvaluationFailure: Error {
  case overflow, divisionByZero, invalidRange, missingValue
}

extension PredicateExpression {
  /// The value by checked evaluation, where all parts of the expression have one; else by Foundation's.
  func checkedValue(_ bindings: PredicateBindings) throws -> Output {
    guard let checked = self as? any CheckedExpression<Output> else { return try evaluate(bindings) }
    return try checked.checked(bindings)
  }
}

/// Equality as the store decides it: not-a-number is equal to nothing, also as a `Decimal`, where Foundation says so.
enum StoredEquality {
  static func equal<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
    left == right && !isNotANumber(left)
  }

  private static func isNotANumber<Value>(_ value: Value) -> Bool {
    // The type is asked first: a cast of each value that is compared would cost more than the comparison.
    guard Value.self == Decimal.self || Value.self == Decimal?.self else { return false }
    return (value as? Decimal)?.isNaN ?? false
  }
}

/// Integer arithmetic that throws where Swift's traps; all other arithmetic as it is.
enum CheckedArithmetic {
  static func combine<Value: Numeric>(
    _ left: Value, _ operation: PredicateExpressions.ArithmeticOperator, _ right: Value
  ) throws -> Value {
    if let integer = left as? any FixedWidthInteger, let result = try combine(integer, operation, right) as? Value {
      return result
    }
    return switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    @unknown default: throw EvaluationFailure.overflow
    }
  }

  private static func combine<Value: FixedWidthInteger>(
    _ left: Value, _ operation: PredicateExpressions.ArithmeticOperator, _ right: Any
  ) throws -> Value? {
    guard let right = right as? Value else { return nil }
    return switch operation {
    case .add: try value(left.addingReportingOverflow(right))
    case .subtract: try value(left.subtractingReportingOverflow(right))
    case .multiply: try value(left.multipliedReportingOverflow(by: right))
    @unknown default: nil
    }
  }

  static func negate<Value: SignedNumeric>(_ value: Value) throws -> Value { try combine(0, .subtract, value) }

  static func divide<Value: BinaryInteger>(_ left: Value, by right: Value) throws -> Value {
    guard right != 0 else { throw EvaluationFailure.divisionByZero }
    if let integer = left as? any FixedWidthInteger, let result = try divide(integer, by: right) as? Value {
      return result
    }
    return left / right
  }

  private static func divide<Value: FixedWidthInteger>(_ left: Value, by right: Any) throws -> Value? {
    try (right as? Value).map { try value(left.dividedReportingOverflow(by: $0)) }
  }

  static func remainder<Value: BinaryInteger>(_ left: Value, by right: Value) throws -> Value {
    guard right != 0 else { throw EvaluationFailure.divisionByZero }
    if let integer = left as? any FixedWidthInteger, let result = try remainder(integer, by: right) as? Value {
      return result
    }
    return left % right
  }

  private static func remainder<Value: FixedWidthInteger>(_ left: Value, by right: Any) throws -> Value? {
    try (right as? Value).map { try value(left.remainderReportingOverflow(dividingBy: $0)) }
  }

  private static func value<Value>(_ result: (partialValue: Value, overflow: Bool)) throws -> Value {
    guard !result.overflow else { throw EvaluationFailure.overflow }
    return result.partialValue
  }
}
