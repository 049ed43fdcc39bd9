/// The values of one object, addressed by key path.
///
/// The library's own path from property to value is ``ModelStorage``, by number; this one is for code
/// that is written against key paths.
public protocol BackingData<Model> {
  associatedtype Model: PersistentModel

  /// Values of a new object: each property has its default, if it has one.
  init(for modelType: Model.Type)
  var persistentModelID: PersistentIdentifier? { get set }
  /// What the library keeps about the object.
  var metadata: Any { get }
  /// Part of the expansion of ``Model()``.
  var _storage: ModelStorage { get }

  func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value
  func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value?
  func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value
  func getValue<Value: Decodable & RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value
  func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

  func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?)
  func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  func setValue<Value: Encodable & RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value)
  func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
}
