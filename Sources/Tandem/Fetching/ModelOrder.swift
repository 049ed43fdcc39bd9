import Foundation
import RecordStore

/// The order of a fetch where Swift sorts: the descriptors, then the order of insertion, which is that of the ids.
///
/// Not-a-number comes last, as in the store: each value has a place. Texts by code points stand as in the store, too;
/// see ``FieldOrder``.
struct ModelOrder<T: PersistentModel> {
  // In an array alone: an optimised build of a type that holds a descriptor itself asks for a symbol that Foundation
  // keeps to itself, and cannot be linked.
  private let descriptors: [SortDescriptor<T>]
  /// For each descriptor, whether an object has not-a-number there; nil where none can.
  private let tests: [((T) -> Bool)?]
  /// For each descriptor, the text of an object where its order is that of code points; else nil.
  private let texts: [((T) -> String?)?]

  init(_ descriptors: [SortDescriptor<T>]) {
    self.descriptors = descriptors
    tests = descriptors.map { Self.test(of: $0.keyPath) }
    texts = descriptors.map { Self.text(of: $0) }
  }

  func precedes(_ left: T, _ right: T) -> Bool {
    precedesByKeys(left, right) ?? (left._$storage.recordID < right._$storage.recordID)
  }

  /// The order by the descriptors alone; nil where they say nothing.
  func precedesByKeys(_ left: T, _ right: T) -> Bool? {
    // By their numbers: a sequence of pairs is a type that the runtime would look up at each comparison.
    for number in descriptors.indices {
      let (descriptor, isUnordered, text) = (descriptors[number], tests[number], texts[number])
      let isForward = descriptor.order == .forward
      switch (isUnordered?(left) ?? false, isUnordered?(right) ?? false) {
      case (true, true): continue
      case (true, false): return !isForward
      case (false, true): return isForward
      case (false, false): break
      }
      if let text {
        if let precedes = Self.precedes(text(left), text(right)) { return precedes == isForward }
        continue
      }
      switch descriptor.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return nil
  }

  /// Nil for equal texts; nil as a text comes first.
  private static func precedes(_ left: String?, _ right: String?) -> Bool? {
    guard let left, let right else { return (left == nil) == (right == nil) ? nil : left == nil }
    return switch FieldOrder(of: left, right) {
    case .less: true
    case .greater: false
    case .equal, .unordered: nil
    }
  }

  private static func text(of descriptor: SortDescriptor<T>) -> ((T) -> String?)? {
    guard SortTranslation.isOrderedAsStored(descriptor.stringComparator) else { return nil }
    if let path = descriptor.keyPath as? KeyPath<T, String> { return { $0[keyPath: path] } }
    return (descriptor.keyPath as? KeyPath<T, String?>).map { path in { $0[keyPath: path] } }
  }

  private static func test(of path: PartialKeyPath<T>?) -> ((T) -> Bool)? {
    guard let path, let type = Swift.type(of: path).valueType as? any PartlyOrdered.Type else { return nil }
    func test<Value: PartlyOrdered>(_ type: Value.Type) -> ((T) -> Bool)? {
      (path as? KeyPath<T, Value>).map { path in { $0[keyPath: path].isUnordered } }
    }
    return test(type)
  }
}
