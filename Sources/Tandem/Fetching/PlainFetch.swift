public import Foundation
import RecordStore

/// A descriptor without the class as a type parameter.
@usableFromInline
struct PlainFetch {
  /// Nil: no predicate.
  let condition: (any StandardPredicateExpression<Bool>)?
  /// Nil where an order is more than key paths.
  let order: [Step]?
  let limit: Int?
  let offset: Int
  let includesPendingChanges: Bool

  @usableFromInline
  struct Step {
    let keyPath: AnyKeyPath
    let isDescending: Bool

    @usableFromInline
    init(_ keyPath: AnyKeyPath, isDescending: Bool) {
      self.keyPath = keyPath
      self.isDescending = isDescending
    }
  }

  /// A function, because an initialiser would take a copy of the descriptor.
  @inlinable
  static func of<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) -> PlainFetch {
    PlainFetch(
      descriptor.predicate?.expression, order(descriptor.sortBy), descriptor.fetchLimit, descriptor.fetchOffset,
      descriptor.includePendingChanges)
  }

  @inlinable
  static func order<T: PersistentModel>(_ sortBy: [SortDescriptor<T>]) -> [Step]? {
    var order: [Step] = []
    for part in sortBy {
      guard part.stringComparator == nil, let keyPath = part.keyPath else { return nil }
      order.append(Step(keyPath, isDescending: part.order == .reverse))
    }
    return order
  }

  @usableFromInline
  init(
    _ condition: (any StandardPredicateExpression<Bool>)?, _ order: [Step]?, _ limit: Int?, _ offset: Int?,
    _ includesPendingChanges: Bool
  ) {
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset ?? 0
    self.includesPendingChanges = includesPendingChanges
  }

  /// The condition that the shape of the predicate says; nil where it takes a translator.
  func condition(in binding: EntityBinding) -> KnownCondition? {
    guard let condition else { return .filter(.all) }
    return binding.propertyTable.condition(of: condition)
  }

  /// Whether neither an order nor a window alters which one record is found.
  var isOfAny: Bool { order?.isEmpty == true && offset == 0 && limit ?? 1 > 0 }

  /// Nil where the translation needs the order itself.
  func query(_ condition: KnownCondition, in binding: EntityBinding) -> RecordQuery? {
    guard let order else { return nil }
    var query = binding.wholeQuery
    query.limit = limit
    query.offset = offset
    if self.condition != nil { query.filter = binding.narrowed(condition.filter) }
    for step in order {
      guard var key = binding.propertyTable.sortKey(step.keyPath) else { return nil }
      key.isDescending = step.isDescending
      query.sort.append(key)
    }
    return query
  }
}
