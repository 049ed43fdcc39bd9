/// Values to compute over the records that a query finds, without making objects: for each group one value a function.
///
/// Meaning. Nil takes part in nothing but ``AggregateFunction/count``. Sums of integers are exact. Sums of doubles
/// carry the rounding error along (Neumaier), so they hardly depend on the order of records; not-a-number and
/// infinities spread as in Swift. Sums of decimals are exact or refused. Not-a-number is neither minimum nor maximum.
/// Keys are grouped by Swift's equality of their type, but that not-a-number is one group, and so is nil.
package struct AggregateQuery: Hashable, Sendable {
  /// A limit and an offset cut the records, in the query's order, before anything is computed.
  package var query: RecordQuery
  /// Empty: all records are one group, which exists even without records.
  package var keys: [FieldPath]
  package var functions: [AggregateFunction]

  package init(_ query: RecordQuery, keys: [FieldPath] = [], functions: [AggregateFunction]) {
    self.query = query
    self.keys = keys
    self.functions = functions
  }
}

package enum AggregateFunction: Hashable, Sendable {
  /// The number of records.
  case count
  /// The number of records with a value, and of different values.
  case countValues(FieldPath)
  case countDistinct(FieldPath)
  /// The sum of integers, doubles or decimals; zero of their kind without values.
  case sum(FieldPath)
  /// The least value of a type with an order; `.value(.null)` without values.
  case minimum(FieldPath)
  case maximum(FieldPath)

  package var path: FieldPath? {
    switch self {
    case .count: nil
    case .countValues(let path), .countDistinct(let path), .sum(let path), .minimum(let path), .maximum(let path): path
    }
  }
}

package enum AggregateValue: Hashable, Sendable {
  case count(Int)
  /// A sum of integers: of 64 bits each, more of them than a store can hold do not overflow it.
  case integer(Int128)
  case double(Double)
  case decimal(DecimalSum)
  case value(FieldValue)
}

/// One group's values, in the order of the query's functions.
package struct AggregateRow: Hashable, Sendable {
  package var keys: [FieldValue]
  package var values: [AggregateValue]
}
