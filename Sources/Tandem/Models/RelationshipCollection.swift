/// The type of a to-many relationship: an array of models, or an optional one.
public protocol RelationshipCollection<PersistentElement> {
  /// The class of the members.
  associatedtype PersistentElement: PersistentModel

  /// Part of the library: the collection of these elements.
  init(_elements: [PersistentElement])
  /// Part of the library: the elements; empty for nil.
  var _elements: [PersistentElement] { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the members.
  public typealias PersistentElement = Element
  /// Part of the library: the array itself.
  public init(_elements: [Element]) { self = _elements }
  /// Part of the library: the array itself.
  public var _elements: [Element] { self }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection & Sequence {
  /// The class of the members.
  public typealias PersistentElement = Wrapped.PersistentElement
  /// Part of the library: the collection of these elements; never nil.
  public init(_elements: [PersistentElement]) { self = Wrapped(_elements: _elements) }
  /// Part of the library: the elements; empty for nil.
  public var _elements: [PersistentElement] { self?._elements ?? [] }
}
