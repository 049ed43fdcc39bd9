public import Foundation
import RecordStore

// The sorts that Foundation has on Apple's systems and not on Linux. Each is a key path with a step at its end
// that leads to something comparable, so the descriptor works on objects as it is.

#if !canImport(Darwin)
  extension SortDescriptor {
    /// Sorts by a Boolean property: false before true.
    public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
      self.init(keyPath.appending(path: \Bool._sortRank).markedSendable, order: order)
    }

    /// Sorts by a text property as people expect texts to stand.
    ///
    /// For Swift's own order, which is that of the code points: `SortDescriptor(\.name, comparator: .lexical)`.
    public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward)
    where Compared: PersistentModel {
      self.init(keyPath, comparator: .localizedStandard, order: order)
    }

    /// Sorts by an optional text property as people expect texts to stand, nil first.
    public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward)
    where Compared: PersistentModel {
      self.init(keyPath, comparator: .localizedStandard, order: order)
    }

    /// Sorts by a text property as people expect texts to stand. Without an `order`, in the comparator's.
    public init(
      _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: TextComparator, order: SortOrder? = nil
    ) {
      self.init(keyPath.appending(path: \String._forPeople).markedSendable, order: order ?? comparator.order)
    }

    /// Sorts by an optional text property as people expect texts to stand, nil first. Without an `order`, in the
    /// comparator's.
    public init(
      _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: TextComparator, order: SortOrder? = nil
    ) {
      self.init(keyPath.appending(path: \String?._forPeople).markedSendable, order: order ?? comparator.order)
    }
  }
#endif

/// A text in the order of ``TextComparator/localizedStandard``.
public struct TextForPeople: Comparable, Sendable {
  private let key: [UInt8]
  init(_ text: String) { key = CollationKey.bytes(of: text) }
  /// Whether a text stands before another in that order.
  public static func < (left: TextForPeople, right: TextForPeople) -> Bool {
    left.key.lexicographicallyPrecedes(right.key)
  }
}

extension Bool {
  /// Part of sorting by a Boolean property.
  public var _sortRank: Int { self ? 1 : 0 }
}

extension String {
  /// Part of sorting as people expect.
  public var _forPeople: TextForPeople { TextForPeople(self) }
}

extension String? {
  /// Part of sorting as people expect.
  public var _forPeople: TextForPeople? { map { TextForPeople($0) } }
}

extension KeyPath {
  /// The same key path. Each of its parts is `Sendable`: a parameter that says so, or that stays in the isolation which
  /// gave it, and a property of ours that captures nothing.
  var markedSendable: any KeyPath<Root, Value> & Sendable {
    // The mark has no representation, so the bits are the same.
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}
