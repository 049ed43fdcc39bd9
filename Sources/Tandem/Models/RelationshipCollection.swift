/// The type of a to-many relationship: an array of models, or an optional one.
public protocol RelationshipCollection<PersistentElement> {
  associatedtype PersistentElement: PersistentModel

  /// Part of the library: the collection of these elements.
  init(_elements: [PersistentElement])
  /// Part of the library: the elements; empty for nil.
  var _elements: [PersistentElement] { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element
  public init(_elements: [Element]) { self = _elements }
  public var _elements: [Element] { self }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection & Sequence {
  public typealias PersistentElement = Wrapped.PersistentElement
  public init(_elements: [PersistentElement]) { self = Wrapped(_elements: _elements) }
  public var _elements: [PersistentElement] { self?._elements ?? [] }
}
