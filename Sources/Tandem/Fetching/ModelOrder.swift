import Foundation

/// The order of a fetch, for objects: the descriptors, then the time of making.
struct ModelOrder<T: PersistentModel> {
  private let descriptors: [SortDescriptor<T>]

  init(_ descriptors: [SortDescriptor<T>]) { self.descriptors = descriptors }

  func precedes(_ left: T, _ right: T) -> Bool {
    for descriptor in descriptors {
      switch descriptor.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return left._$storage.recordID < right._$storage.recordID
  }
}
