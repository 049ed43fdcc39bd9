import Foundation

/// The order of a fetch, for objects: the descriptors, then the time of making.
struct ModelOrder<T: PersistentModel> {
  private let descriptors: [SortDescriptor<T>]

  init(_ descriptors: [SortDescriptor<T>]) { self.descriptors = descriptors }

  func precedes(_ left: T, _ right: T) -> Bool {
    descriptors.precedes(left, right) ?? (left._$storage.recordID < right._$storage.recordID)
  }
}

extension Array {
  /// Whether descriptors put one object before another; nil where all of them call the two equal.
  func precedes<T>(_ left: T, _ right: T) -> Bool? where Element == SortDescriptor<T> {
    for descriptor in self {
      switch descriptor.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return nil
  }
}
