import Foundation
import RecordStore

/// A fetch as the store understands it, and what is left for Swift to do with the objects.
struct FetchTranslation<T: PersistentModel> {
  /// Entity, filter and sort; never a limit or an offset.
  var query: RecordQuery
  /// Nil: the query's filter is the whole predicate.
  var residualPredicate: ResidualPredicate<T>?
  /// Empty: the query's sort is the whole order.
  var residualSort: [SortDescriptor<T>] = []

  /// Whether the store gives the result as it is.
  var isWhole: Bool { residualPredicate == nil && residualSort.isEmpty }
}

extension FetchDescriptor {
  /// The part of the fetch that the store can do, and the rest.
  func translation(for binding: EntityBinding) throws -> FetchTranslation<T> {
    guard fetchLimit ?? 0 >= 0, fetchOffset ?? 0 >= 0 else {
      throw StoreError(
        .invalidRequest, "a fetch of \(T.self) has a negative limit or offset; use nil for no limit, 0 for no offset")
    }
    let table = binding.propertyTable
    let predicate = PredicateTranslation(predicate, in: table)
    let sort = SortTranslation.keys(sortBy, in: table)
    return FetchTranslation(
      query: RecordQuery(
        entity: binding.entity.number, filter: binding.narrowed(predicate.filter), sort: sort ?? []),
      residualPredicate: predicate.residual, residualSort: sort == nil ? sortBy : [])
  }

  /// Whether the predicate accepts an object. It throws where it means nothing for one, such as
  /// `end! < now` without an end; such an object is not accepted.
  var acceptance: (T) -> Bool {
    guard let predicate else { return { _ in true } }
    let whole = ResidualPredicate(predicate)
    return { whole.accepts($0) }
  }
}
