import Foundation
import RecordStore

/// The order of a fetch, for stored and unsaved objects together: the descriptors, then the id that the
/// object's record has or will have.
struct PendingOrder<T: PersistentModel> {
  private let descriptors: [SortDescriptor<T>]
  private let identities: PendingIdentities

  init(_ descriptors: [SortDescriptor<T>], _ identities: PendingIdentities) {
    self.descriptors = descriptors
    self.identities = identities
  }

  func precedes(_ left: T, _ right: T) -> Bool {
    for descriptor in descriptors {
      switch descriptor.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return identities.identity(of: left._$storage.recordID) < identities.identity(of: right._$storage.recordID)
  }

  /// Puts sorted `few` into sorted `many`: as many comparisons as `few` times the logarithm of `many`.
  func merge(_ many: [T], _ few: [T]) -> [T] {
    guard !few.isEmpty else { return many }
    var result: [T] = []
    result.reserveCapacity(many.count + few.count)
    var start = 0
    for model in few {
      let end = place(of: model, in: many, from: start)
      result += many[start..<end]
      result.append(model)
      start = end
    }
    result += many[start...]
    return result
  }

  private func place(of model: T, in many: [T], from start: Int) -> Int {
    var low = start
    var high = many.count
    while low < high {
      let middle = (low + high) / 2
      if precedes(many[middle], model) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
