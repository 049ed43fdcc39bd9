/// The objects that share a value of an attribute, or of several, and what was computed over them.
///
/// ```swift
/// func line(_ group: AggregateGroup<String?, (Int, Decimal)>) -> String {
///   "\(group.key ?? "no category"): \(group.values.0) for \(group.values.1)"
/// }
/// let lines = try context.aggregate(.count, .sum(of: \.amount), groupedBy: \Expense.category).map(line)
/// ```
public struct AggregateGroup<Key, Values> {
  /// The value that they share; a tuple for several attributes.
  public let key: Key
  /// The aggregates in the order asked for; one alone is no tuple.
  public let values: Values
}

extension AggregateGroup: Sendable where Key: Sendable, Values: Sendable {}
