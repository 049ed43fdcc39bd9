import Foundation
import RecordStore

/// The order of a fetch, for stored and unsaved objects together: the descriptors, then the id that the
/// object's record has or will have.
struct PendingOrder<T: PersistentModel> {
  private let order: ModelOrder<T>
  private let identities: PendingIdentities

  init(_ descriptors: [SortDescriptor<T>], _ identities: PendingIdentities) {
    order = ModelOrder(descriptors)
    self.identities = identities
  }

  func precedes(_ left: T, _ right: T) -> Bool {
    if let precedes = order.precedesByKeys(left, right) { return precedes }
    return identities.identity(of: left._$storage.recordID) < identities.identity(of: right._$storage.recordID)
  }

  /// Puts sorted `few` into sorted `many`.
  func merge(_ many: [T], _ few: [T]) -> [T] {
    guard !few.isEmpty else { return many }
    var result = many
    let ranks = ranks(of: few, among: StayingPlaces(of: many.count, without: []), in: many)
    ListEdit(removals: [], ranks: ranks).apply(to: &result, few)
    return result
  }

  /// How many of those that stay in sorted `many` stand before each of sorted `few`: as many comparisons as `few` times
  /// the logarithm of `many`.
  func ranks(of few: [T], among places: StayingPlaces, in many: [T]) -> [Int] {
    var ranks: [Int] = []
    var start = 0
    for model in few {
      var high = places.count
      // Most that comes comes last.
      if start < high, precedes(many[places[high - 1]], model) { start = high }
      while start < high {
        let middle = (start + high) / 2
        if precedes(many[places[middle]], model) { start = middle + 1 } else { high = middle }
      }
      ranks.append(start)
    }
    return ranks
  }
}
