import Foundation

/// The order of a fetch where Swift sorts: the descriptors, then the order of insertion, which is that of the ids.
struct ModelOrder<T: PersistentModel> {
  private let keys: [Key]

  init(_ descriptors: [SortDescriptor<T>]) { keys = descriptors.map { Key($0) } }

  func precedes(_ left: T, _ right: T) -> Bool {
    precedesByKeys(left, right) ?? (left._$storage.recordID < right._$storage.recordID)
  }

  /// The order by the descriptors alone; nil where they say nothing.
  func precedesByKeys(_ left: T, _ right: T) -> Bool? {
    for key in keys {
      switch key.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return nil
  }
}

extension ModelOrder {
  /// A sort descriptor that has a place for each value: not-a-number comes last, as in the store.
  private struct Key {
    private let descriptor: SortDescriptor<T>
    /// Whether an object has not-a-number there; nil where none can.
    private let isUnordered: ((T) -> Bool)?

    init(_ descriptor: SortDescriptor<T>) {
      self.descriptor = descriptor
      guard let path = descriptor.keyPath, let type = Swift.type(of: path).valueType as? any PartlyOrdered.Type else {
        isUnordered = nil
        return
      }
      func test<Value: PartlyOrdered>(_ type: Value.Type) -> ((T) -> Bool)? {
        (path as? KeyPath<T, Value>).map { path in { $0[keyPath: path].isUnordered } }
      }
      isUnordered = test(type)
    }

    func compare(_ left: T, _ right: T) -> ComparisonResult {
      guard let isUnordered else { return descriptor.compare(left, right) }
      switch (isUnordered(left), isUnordered(right)) {
      case (false, false): return descriptor.compare(left, right)
      case (true, true): return .orderedSame
      case (true, false): return descriptor.order == .forward ? .orderedDescending : .orderedAscending
      case (false, true): return descriptor.order == .forward ? .orderedAscending : .orderedDescending
      }
    }
  }
}
