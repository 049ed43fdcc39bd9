/// An attribute or a relationship of an entity.
///
/// ```swift
/// func isToMany(_ property: any SchemaProperty) -> Bool { property.valueType is any RelationshipCollection.Type }
/// let lists = entity.properties.filter(isToMany).map(\.name)
/// ```
public protocol SchemaProperty: Codable, Hashable {
  /// The property's name.
  var name: String { get set }
  /// The name in earlier versions of the schema; empty if it never changed.
  var originalName: String { get set }
  /// The type of the property, `Optional` included.
  var valueType: any Any.Type { get set }
  /// Whether it is an attribute.
  var isAttribute: Bool { get }
  /// Whether it is a relationship.
  var isRelationship: Bool { get }
  /// Whether the property is left out of the store.
  var isTransient: Bool { get }
  /// Whether the property may be nil.
  var isOptional: Bool { get }
  /// Whether at most one object has a value, or refers to the same object.
  var isUnique: Bool { get }
}
