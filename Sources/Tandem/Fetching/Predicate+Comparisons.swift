public import Foundation

// Predicates from parts that are known at run time only: a key path that a person chose, and a value.

/// How `Predicate.comparing(_:_:_:)` compares.
///
/// ```swift
/// func trips(_ comparison: PredicateComparisonOperator, _ nights: Int) throws -> [Trip] {
///   try context.fetch(FetchDescriptor(predicate: .comparing(\.nights, comparison, nights)))
/// }
/// let long = try trips(.greaterOrEqual, 8)
/// ```
public enum PredicateComparisonOperator: String, CaseIterable, Codable, Sendable {
  /// The comparisons of Swift's operators `==`, `!=`, `<`, `<=`, `>` and `>=`.
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

extension Predicate {
  /// Compares a property with a value.
  ///
  /// ```swift
  /// let predicate: Predicate<Trip> = .comparing(\.nights, .greaterOrEqual, 3)
  /// ```
  public static func comparing<Model: PersistentModel, Value: Comparable & Codable & Sendable>(
    _ keyPath: any KeyPath<Model, Value> & Sendable, _ comparison: PredicateComparisonOperator, _ value: Value
  ) -> Predicate<Model> {
    Predicate<Model> { condition(PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath), comparison, value) }
  }

  /// Compares an optional property with a value. As in Swift, nil equals only nil; it is neither less nor greater
  /// than anything.
  public static func comparing<Model: PersistentModel, Value: Comparable & Codable & Sendable>(
    _ keyPath: any KeyPath<Model, Value?> & Sendable, _ comparison: PredicateComparisonOperator, _ value: Value?
  ) -> Predicate<Model> {
    guard comparison != .equal else { return equal(keyPath, value) }
    guard comparison != .notEqual else { return notEqual(keyPath, value) }
    guard let value else { return Predicate<Model>.false }
    return Predicate<Model> {
      ordered(PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath), comparison, value)
    }
  }

  /// Whether a property has a value; also for types without an order, such as enumerations.
  public static func equal<Model: PersistentModel, Value: Equatable & Codable & Sendable>(
    _ keyPath: any KeyPath<Model, Value> & Sendable, _ value: Value
  ) -> Predicate<Model> {
    Predicate<Model> {
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath), rhs: PredicateExpressions.build_Arg(value))
    }
  }

  /// Whether a property has another value.
  public static func notEqual<Model: PersistentModel, Value: Equatable & Codable & Sendable>(
    _ keyPath: any KeyPath<Model, Value> & Sendable, _ value: Value
  ) -> Predicate<Model> {
    Predicate<Model> {
      PredicateExpressions.build_NotEqual(
        lhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath), rhs: PredicateExpressions.build_Arg(value))
    }
  }

  /// Whether a property's value is one of some.
  public static func oneOf<Model: PersistentModel, Value: Equatable & Codable & Sendable>(
    _ keyPath: any KeyPath<Model, Value> & Sendable, _ values: [Value]
  ) -> Predicate<Model> {
    Predicate<Model> {
      PredicateExpressions.build_contains(
        PredicateExpressions.build_Arg(values), PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath))
    }
  }

  /// Whether some object of a to-many relationship satisfies a predicate.
  public static func contains<Model: PersistentModel, Other: PersistentModel>(
    _ keyPath: any KeyPath<Model, [Other]> & Sendable, where predicate: Predicate<Other>
  ) -> Predicate<Model> {
    Predicate<Model> {
      PredicateExpressions.build_contains(PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath)) {
        membership(of: $0, in: predicate)
      }
    }
  }

  /// Whether every object of a to-many relationship satisfies a predicate.
  public static func allSatisfy<Model: PersistentModel, Other: PersistentModel>(
    _ keyPath: any KeyPath<Model, [Other]> & Sendable, _ predicate: Predicate<Other>
  ) -> Predicate<Model> {
    Predicate<Model> {
      PredicateExpressions.build_allSatisfy(PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath)) {
        membership(of: $0, in: predicate)
      }
    }
  }
}

private typealias Condition = any StandardPredicateExpression<Bool>

private func condition<Operand: StandardPredicateExpression>(
  _ operand: Operand, _ comparison: PredicateComparisonOperator, _ value: Operand.Output
) -> Condition where Operand.Output: Comparable & Codable & Sendable {
  let value = PredicateExpressions.build_Arg(value)
  return switch comparison {
  case .equal: PredicateExpressions.build_Equal(lhs: operand, rhs: value)
  case .notEqual: PredicateExpressions.build_NotEqual(lhs: operand, rhs: value)
  case .less: PredicateExpressions.build_Comparison(lhs: operand, rhs: value, op: .lessThan)
  case .lessOrEqual: PredicateExpressions.build_Comparison(lhs: operand, rhs: value, op: .lessThanOrEqual)
  case .greater: PredicateExpressions.build_Comparison(lhs: operand, rhs: value, op: .greaterThan)
  case .greaterOrEqual: PredicateExpressions.build_Comparison(lhs: operand, rhs: value, op: .greaterThanOrEqual)
  }
}

/// An order comparison that is false for nil.
private func ordered<Operand: StandardPredicateExpression, Value: Comparable & Codable & Sendable>(
  _ operand: Operand, _ comparison: PredicateComparisonOperator, _ value: Value
) -> Condition where Operand.Output == Value? {
  func whenPresent(_ operation: PredicateExpressions.ComparisonOperator) -> Condition {
    let holds = PredicateExpressions.build_flatMap(operand) {
      PredicateExpressions.build_Comparison(lhs: $0, rhs: PredicateExpressions.build_Arg(value), op: operation)
    }
    return PredicateExpressions.build_NilCoalesce(lhs: holds, rhs: PredicateExpressions.build_Arg(false))
  }
  return switch comparison {
  case .less: whenPresent(.lessThan)
  case .lessOrEqual: whenPresent(.lessThanOrEqual)
  case .greater: whenPresent(.greaterThan)
  default: whenPresent(.greaterThanOrEqual)
  }
}
