public import Foundation
import RecordStore

/// What a descriptor asks for, without the class as a type parameter.
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

  @inlinable
  init<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) {
    var order: [Step]? = []
    for part in descriptor.sortBy {
      guard part.stringComparator == nil, let keyPath = part.keyPath else {
        order = nil
        break
      }
      order?.append(Step(keyPath, isDescending: part.order == .reverse))
    }
    self.init(
      descriptor.predicate?.expression, order, descriptor.fetchLimit, descriptor.fetchOffset,
      descriptor.includePendingChanges)
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

  /// Nil where the translation needs the predicate itself.
  func query(in binding: EntityBinding) -> RecordQuery? {
    guard let order else { return nil }
    var query = binding.wholeQuery
    query.limit = limit
    query.offset = offset
    if let condition {
      guard let filter = binding.propertyTable.filter(of: condition) else { return nil }
      query.filter = binding.narrowed(filter)
    }
    for step in order {
      guard var key = SortTranslation.key(step.keyPath, in: binding.propertyTable) else { return nil }
      key.isDescending = step.isDescending
      query.sort.append(key)
    }
    return query
  }
}
