import Foundation
import RecordStore

/// A value computed over many objects without making them: a number of objects, a sum, a minimum.
///
/// ```swift
/// let total = try context.aggregate(.sum(of: \Expense.amount))
/// let measures: [Aggregate<Expense, Decimal?>] = [.minimum(of: \.amount), .maximum(of: \.amount)]
/// let range = try measures.map { try context.aggregate($0) }
/// ```
///
/// Nil, not-a-number and overflow count like this:
/// - Objects whose attribute is nil take part in ``count`` alone. A sum of nothing is zero, an average, a minimum or a
///   maximum of nothing is nil.
/// - Sums of integers are exact, and refused with `SwiftDataError.aggregateOverflow` where 64 bits do not hold them.
///   Sums of `Decimal` are exact too, and refused where they have more than 38 digits.
/// - Sums of floating point carry their rounding errors along, so the order of the objects hardly matters.
///   Not-a-number and infinities spread as in Swift's `+`.
/// - Not-a-number is neither minimum nor maximum.
public struct Aggregate<Model: PersistentModel, Result> {
  /// One function that the store computes.
  struct Part {
    let function: (FieldPath) -> AggregateFunction
    /// Nil: of the objects themselves.
    let keyPath: AnyKeyPath?
  }

  let parts: [Part]
  /// The result from the parts' values; throws `aggregateOverflow`.
  let result: ([AggregateValue]) throws -> Result
}

// MARK: Counting

extension Aggregate where Result == Int {
  /// The number of objects.
  public static var count: Aggregate {
    Aggregate(parts: [Part(function: { _ in .count }, keyPath: nil)]) { try $0[0].count() }
  }

  /// The number of objects whose attribute is not nil.
  public static func count<Value>(of keyPath: KeyPath<Model, Value?>) -> Aggregate {
    Aggregate(parts: [Part(function: { .countValues($0) }, keyPath: keyPath)]) { try $0[0].count() }
  }

  /// The number of different values of an attribute, nil left out. Holds each value's bytes while it counts.
  public static func countDistinct<Value: Hashable>(of keyPath: KeyPath<Model, Value>) -> Aggregate {
    Aggregate(parts: [Part(function: { .countDistinct($0) }, keyPath: keyPath)]) { try $0[0].count() }
  }
}

// MARK: Sums

extension Aggregate {
  private static func sum(_ keyPath: AnyKeyPath, _ result: @escaping (AggregateValue) throws -> Result) -> Aggregate {
    Aggregate(parts: [Part(function: { .sum($0) }, keyPath: keyPath)]) { try result($0[0]) }
  }

  /// The sum of signed integers of any width.
  public static func sum<Value: PrimitiveAttribute & FixedWidthInteger & SignedInteger>(
    of keyPath: KeyPath<Model, Value>
  ) -> Aggregate where Result == Int { sum(keyPath) { try $0.integer() } }
  /// The sum of optional signed integers of any width; nil is left out.
  public static func sum<Value: PrimitiveAttribute & FixedWidthInteger & SignedInteger>(
    of keyPath: KeyPath<Model, Value?>
  ) -> Aggregate where Result == Int { sum(keyPath) { try $0.integer() } }

  /// The sum of unsigned integers of any width.
  public static func sum<Value: PrimitiveAttribute & FixedWidthInteger & UnsignedInteger>(
    of keyPath: KeyPath<Model, Value>
  ) -> Aggregate where Result == UInt { sum(keyPath) { try $0.integer() } }
  /// The sum of optional unsigned integers of any width; nil is left out.
  public static func sum<Value: PrimitiveAttribute & FixedWidthInteger & UnsignedInteger>(
    of keyPath: KeyPath<Model, Value?>
  ) -> Aggregate where Result == UInt { sum(keyPath) { try $0.integer() } }

  /// The sum of floating-point numbers of any width.
  public static func sum<Value: PrimitiveAttribute & BinaryFloatingPoint>(
    of keyPath: KeyPath<Model, Value>
  ) -> Aggregate where Result == Double { sum(keyPath) { try $0.double() } }
  /// The sum of optional floating-point numbers of any width; nil is left out.
  public static func sum<Value: PrimitiveAttribute & BinaryFloatingPoint>(
    of keyPath: KeyPath<Model, Value?>
  ) -> Aggregate where Result == Double { sum(keyPath) { try $0.double() } }

  /// The exact sum of decimal numbers.
  public static func sum(of keyPath: KeyPath<Model, Decimal>) -> Aggregate where Result == Decimal {
    sum(keyPath) { try $0.decimal() }
  }
  /// The exact sum of optional decimal numbers; nil is left out.
  public static func sum(of keyPath: KeyPath<Model, Decimal?>) -> Aggregate where Result == Decimal {
    sum(keyPath) { try $0.decimal() }
  }
}

// MARK: Averages

extension Aggregate {
  private static func average<Value>(
    _ keyPath: AnyKeyPath, _ quotient: @escaping (AggregateValue, Int) throws -> Value
  ) -> Aggregate where Result == Value? {
    let parts = [
      Part(function: { .sum($0) }, keyPath: keyPath), Part(function: { .countValues($0) }, keyPath: keyPath),
    ]
    return Aggregate(parts: parts) { values in
      let count = try values[1].count()
      return count == 0 ? nil : try quotient(values[0], count)
    }
  }

  /// The average of integers, or of floating-point numbers. An average of integers is rounded once, at the division.
  public static func average<Value: PrimitiveAttribute & BinaryInteger>(
    of keyPath: KeyPath<Model, Value>
  ) -> Aggregate where Result == Double? { average(keyPath) { try $0.double() / Double($1) } }
  /// The average of optional integers, nil left out; nil where none has a value.
  public static func average<Value: PrimitiveAttribute & BinaryInteger>(
    of keyPath: KeyPath<Model, Value?>
  ) -> Aggregate where Result == Double? { average(keyPath) { try $0.double() / Double($1) } }
  /// The average of floating-point numbers; nil where there are no objects.
  public static func average<Value: PrimitiveAttribute & BinaryFloatingPoint>(
    of keyPath: KeyPath<Model, Value>
  ) -> Aggregate where Result == Double? { average(keyPath) { try $0.double() / Double($1) } }
  /// The average of optional floating-point numbers, nil left out; nil where none has a value.
  public static func average<Value: PrimitiveAttribute & BinaryFloatingPoint>(
    of keyPath: KeyPath<Model, Value?>
  ) -> Aggregate where Result == Double? { average(keyPath) { try $0.double() / Double($1) } }

  /// The exact sum of decimal numbers, divided by `Decimal`'s rules: 38 digits.
  public static func average(of keyPath: KeyPath<Model, Decimal>) -> Aggregate where Result == Decimal? {
    average(keyPath) { try $0.decimal() / Decimal($1) }
  }
  /// The exact sum of optional decimal numbers, divided by `Decimal`'s rules; nil is left out.
  public static func average(of keyPath: KeyPath<Model, Decimal?>) -> Aggregate where Result == Decimal? {
    average(keyPath) { try $0.decimal() / Decimal($1) }
  }
}

// MARK: Extremes

extension Aggregate {
  /// The least value of an attribute, as Swift orders its type: numbers, dates and texts. A look-up where an index
  /// begins with the attribute and nothing else is asked for.
  public static func minimum<Value: PrimitiveAttribute & Comparable>(
    of keyPath: KeyPath<Model, Value>
  ) -> Aggregate where Result == Value? { extreme(keyPath) { .minimum($0) } }
  /// The least value of an optional attribute, nil left out; nil where none has a value.
  public static func minimum<Value: PrimitiveAttribute & Comparable>(
    of keyPath: KeyPath<Model, Value?>
  ) -> Aggregate where Result == Value? { extreme(keyPath) { .minimum($0) } }

  /// The greatest value of an attribute; see ``minimum(of:)-(KeyPath<Model,Value>)``.
  public static func maximum<Value: PrimitiveAttribute & Comparable>(
    of keyPath: KeyPath<Model, Value>
  ) -> Aggregate where Result == Value? { extreme(keyPath) { .maximum($0) } }
  /// The greatest value of an optional attribute, nil left out; nil where none has a value.
  public static func maximum<Value: PrimitiveAttribute & Comparable>(
    of keyPath: KeyPath<Model, Value?>
  ) -> Aggregate where Result == Value? { extreme(keyPath) { .maximum($0) } }

  private static func extreme<Value: PrimitiveAttribute>(
    _ keyPath: AnyKeyPath, _ function: @escaping (FieldPath) -> AggregateFunction
  ) -> Aggregate where Result == Value? {
    Aggregate(parts: [Part(function: function, keyPath: keyPath)]) { values in
      guard case .value(let value) = values[0] else { return nil }
      return Value(value)
    }
  }
}
