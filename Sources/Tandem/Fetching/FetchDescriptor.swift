public import Foundation

/// Which objects of one class to fetch, in which order, and how many.
public struct FetchDescriptor<T: PersistentModel> {
  /// Nil: all objects.
  public var predicate: Predicate<T>?
  /// Earlier descriptors first; ties are broken by the time of insertion, so an order is always total.
  public var sortBy: [SortDescriptor<T>]
  /// At most so many objects; nil: all.
  public var fetchLimit: Int?
  /// How many objects of the order are left out at its beginning; nil: none.
  public var fetchOffset: Int?
  /// Whether the result is that of a fetch after a save of the context (the default), or what the store holds.
  public var includePendingChanges = true
  /// A hint. Attributes are decoded when they are read, so there is nothing to leave out.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// A hint: relationships that will be read soon.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// A descriptor of all objects that satisfy a predicate.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

// @unchecked: key paths never change, and carry no mark; everything else is Sendable.
extension FetchDescriptor: @unchecked Sendable {}

extension FetchDescriptor: Equatable {
  /// Whether two descriptors have the same parts. Predicates are compared by their text and type.
  public static func == (left: Self, right: Self) -> Bool {
    left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
      && description(of: left.predicate) == description(of: right.predicate)
  }

  /// The text of a predicate, and its type: the text leaves out the names of some computed properties.
  private static func description(of predicate: Predicate<T>?) -> String? {
    predicate.map { "\($0)\n\(type(of: $0.expression))" }
  }
}
