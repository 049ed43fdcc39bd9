import RecordStore

/// One stored property of a class.
///
/// A class: a description of many parts, which is looked at often and never changes.
final class PropertyDescription {
  enum Kind {
    case attribute(AttributeCodec)
    case toOne(destination: any PersistentModel.Type)
    case toMany(destination: any PersistentModel.Type)
    /// A type that can not be stored; a schema with it does not open.
    case unsupported
  }
  /// The place among the class's stored properties.
  let index: Int
  let name: String
  /// The name in the store: of what a subclass adds, with the class's name and a point before it.
  let storedName: String
  let keyPath: AnyKeyPath
  let valueType: any Any.Type
  let isOptional: Bool
  /// Whether records have the value: not of an ephemeral attribute.
  let isStored: Bool
  let kind: Kind
  let defaultValue: Any?
  /// Evaluates the default anew; nil without one.
  let makeDefault: (() -> Any?)?
  let attribute: Schema.Attribute?
  let relationship: Schema.Relationship?

  init(index: Int, _ metadata: Schema.PropertyMetadata, storedName: String) {
    self.index = index
    name = metadata.name
    self.storedName = storedName
    keyPath = metadata.keypath
    valueType = type(of: metadata.keypath).valueType
    isOptional = valueType is any OptionalType.Type
    attribute = metadata.metadata as? Schema.Attribute
    isStored = attribute?.isTransient != true
    relationship = metadata.metadata as? Schema.Relationship
    defaultValue = metadata.defaultValue
    makeDefault = metadata.makeDefault
    kind = Self.kind(of: valueType, attribute)
  }

  private static func kind(of type: Any.Type, _ attribute: Schema.Attribute?) -> Kind {
    let plain = (type as? any OptionalType.Type)?.wrappedType ?? type
    if let destination = plain as? any PersistentModel.Type { return .toOne(destination: destination) }
    if let collection = plain as? any RelationshipCollection.Type {
      return .toMany(destination: element(of: collection))
    }
    let codec = AttributeCodec(
      valueType: type, forcesCodable: attribute?.isCodable == true, transformer: attribute?.transformer)
    return codec.map { .attribute($0) } ?? .unsupported
  }

  private static func element<C: RelationshipCollection>(of type: C.Type) -> any PersistentModel.Type {
    C.PersistentElement.self
  }

  /// Whether the relationship's objects keep the order of the array.
  var isOrdered: Bool { isToMany && relationship?.options.contains(.ordered) == true }
  /// The class on the other side of a relationship.
  var destination: (any PersistentModel.Type)? {
    switch kind {
    case .toOne(let type), .toMany(let type): type
    case .attribute, .unsupported: nil
    }
  }
  var isToMany: Bool {
    if case .toMany = kind { return true }
    return false
  }

  /// Whether those that the relationship leads to cannot be without its object.
  func isNeeded(by inverse: ModelDescription.Inverse?) -> Bool {
    guard let inverse, let destination else { return false }
    let other = ModelDescription.of(destination).properties[inverse.index]
    return !other.isToMany && !other.isOptional
  }
}
