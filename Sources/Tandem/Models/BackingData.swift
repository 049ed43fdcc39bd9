/// The values of one object, addressed by key path.
///
/// ```swift
/// let values: any BackingData<Receipt> = ModelBackingData(for: Receipt.self)
/// values.setValue(forKey: \.shop, to: "Bakery")
/// let receipt = Receipt(backingData: values)
/// ```
///
/// The library's own path from property to value is ``ModelStorage``, by number; this one is for code
/// that is written against key paths.
public protocol BackingData<Model> {
  /// The class of the object.
  associatedtype Model: PersistentModel

  /// Values of a new object: each property has its default, if it has one.
  init(for modelType: Model.Type)
  /// The object's identifier; setting it gives the object another.
  var persistentModelID: PersistentIdentifier? { get set }
  /// The library's own knowledge of the object.
  var metadata: Any { get }
  /// Part of the expansion of ``Model()``.
  var _storage: ModelStorage { get }

  /// The value of an attribute. Traps for a key path that names no stored property of the class, as do all the others.
  func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value
  /// The target of a to-one relationship that always has one.
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value
  /// The target of a to-one relationship; nil without one.
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value?
  /// The members of a to-many relationship.
  func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value
  /// The members of a to-many relationship whose type is `Decodable`, too.
  func getValue<Value: Decodable & RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value
  /// The value of an attribute with `.transformable(by:)`.
  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

  /// Sets the value of an attribute.
  func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the target of a to-one relationship that always has one.
  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the target of a to-one relationship, or takes it away.
  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  /// Sets the members of a to-many relationship.
  func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the members of a to-many relationship whose type is `Encodable`, too.
  func setValue<Value: Encodable & RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  /// Sets the value of an attribute with `.transformable(by:)`.
  func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
}
