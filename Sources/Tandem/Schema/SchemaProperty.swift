/// An attribute or a relationship of an entity.
public protocol SchemaProperty: Codable, Hashable {
  var name: String { get set }
  /// The name in earlier versions of the schema; empty if it never changed.
  var originalName: String { get set }
  var valueType: any Any.Type { get set }
  var isAttribute: Bool { get }
  var isRelationship: Bool { get }
  var isTransient: Bool { get }
  var isOptional: Bool { get }
  var isUnique: Bool { get }
}
