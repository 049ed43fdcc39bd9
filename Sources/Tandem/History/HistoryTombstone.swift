/// Values of an object that history keeps, by property.
///
/// ```swift
/// let tombstone: HistoryTombstone<Trip> = delete.tombstone
/// let code = tombstone[\.code] as? String
/// for (property, value) in tombstone { print(property, value) }
/// ```
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
  /// A property and its value.
  public typealias Element = (key: any PartialKeyPath<Model> & Sendable, value: any Sendable)
  private let values: [Element]

  init(_ values: [Element]) { self.values = values }

  /// The value of a property; nil if history has none, and for a property that was nil.
  /// A reference comes as the target's ``PersistentIdentifier``.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    values.first { $0.key == keyPath }?.value
  }

  /// An iterator over the properties that have a value.
  public func makeIterator() -> IndexingIterator<[Element]> { values.makeIterator() }
}
