import Foundation

/// The order of a fetch where Swift sorts: the descriptors, then the order of insertion, which is that of the ids.
///
/// Not-a-number comes last, as in the store: each value has a place.
struct ModelOrder<T: PersistentModel> {
  // In an array alone: an optimised build of a type that holds a descriptor itself asks for a symbol that Foundation
  // keeps to itself, and cannot be linked.
  private let descriptors: [SortDescriptor<T>]
  /// For each descriptor, whether an object has not-a-number there; nil where none can.
  private let tests: [((T) -> Bool)?]

  init(_ descriptors: [SortDescriptor<T>]) {
    self.descriptors = descriptors
    tests = descriptors.map { Self.test(of: $0.keyPath) }
  }

  func precedes(_ left: T, _ right: T) -> Bool {
    precedesByKeys(left, right) ?? (left._$storage.recordID < right._$storage.recordID)
  }

  /// The order by the descriptors alone; nil where they say nothing.
  func precedesByKeys(_ left: T, _ right: T) -> Bool? {
    var tests = tests.makeIterator()
    for descriptor in descriptors {
      let isUnordered = tests.next() ?? nil
      let isForward = descriptor.order == .forward
      switch (isUnordered?(left) ?? false, isUnordered?(right) ?? false) {
      case (true, true): continue
      case (true, false): return !isForward
      case (false, true): return isForward
      case (false, false): break
      }
      switch descriptor.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return nil
  }

  private static func test(of path: PartialKeyPath<T>?) -> ((T) -> Bool)? {
    guard let path, let type = Swift.type(of: path).valueType as? any PartlyOrdered.Type else { return nil }
    func test<Value: PartlyOrdered>(_ type: Value.Type) -> ((T) -> Bool)? {
      (path as? KeyPath<T, Value>).map { path in { $0[keyPath: path].isUnordered } }
    }
    return test(type)
  }
}
