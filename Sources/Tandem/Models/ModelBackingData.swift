import RecordStore

/// The library's own backing data: a storage, read and written by key path.
public struct ModelBackingData<Model: PersistentModel>: BackingData {
  /// Nil: that of the object that is being made on this thread.
  private let storage: ModelStorage?

  /// Part of the expansion of ``Model()``.
  public var _storage: ModelStorage { storage ?? Adoption.storage }

  init(_ storage: ModelStorage) {
    self.storage = storage
    storage.isLent = true
  }
  private init() { storage = nil }

  /// The argument for the initialiser of any object that is made around a storage; see ``Adoption``.
  static var adopted: ModelBackingData { ModelBackingData() }

  /// Values of a new object, with the properties' defaults and an identifier of its own.
  public init(for modelType: Model.Type) {
    self.init(ModelStorage.withDefaults(of: modelType, RecordIDGenerator.shared.next()))
  }

  /// The object's identifier. Setting nil has no effect.
  public var persistentModelID: PersistentIdentifier? {
    get { _storage.persistentModelID }
    set { if let newValue { _storage.recordID = newValue.recordID } }
  }
  /// The class's ``PersistentModel/schemaMetadata``.
  public var metadata: Any { Model.schemaMetadata }

  /// The value of an attribute.
  public func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value { attribute(key) }
  /// The target of a to-one relationship that always has one.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value {
    _storage.get(index(of: key))
  }
  /// The target of a to-one relationship; nil without one.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? {
    _storage.get(index(of: key))
  }
  /// The members of a to-many relationship.
  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value {
    Value(_elements: _storage.get(index(of: key)))
  }
  /// The members of a to-many relationship whose type is `Decodable`, too.
  public func getValue<Value: Decodable & RelationshipCollection>(forKey key: KeyPath<Model, Value>) -> Value {
    Value(_elements: _storage.get(index(of: key)))
  }
  /// The value of an attribute with `.transformable(by:)`.
  public func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { attribute(key) }

  /// Sets the value of an attribute, and enters the object into its context's changes.
  public func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    setAttribute(key, newValue)
  }
  /// Sets the target of a to-one relationship that always has one, and the other side with it.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    withModel { _storage.setTarget(index(of: key), to: newValue, of: $0) }
  }
  /// Sets the target of a to-one relationship, or takes it away, and the other side with it.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) {
    withModel { _storage.setTarget(index(of: key), to: newValue, of: $0) }
  }
  /// Sets the members of a to-many relationship, and the other sides with it.
  public func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    withModel { _storage.setMembers(index(of: key), to: newValue._elements, of: $0) }
  }
  /// Sets the members of a to-many relationship whose type is `Encodable`, too.
  public func setValue<Value: Encodable & RelationshipCollection>(
    forKey key: KeyPath<Model, Value>, to newValue: Value
  ) {
    withModel { _storage.setMembers(index(of: key), to: newValue._elements, of: $0) }
  }
  /// Sets the value of an attribute with `.transformable(by:)`.
  public func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
    setAttribute(key, newValue)
  }
}

extension ModelBackingData {
  private func index(of key: AnyKeyPath) -> Int {
    guard let index = _storage.description.index(of: key) else {
      preconditionFailure("\(key) is not a stored property of \(Model.self).")
    }
    return index
  }

  private func codec(_ index: Int, _ key: AnyKeyPath) -> AttributeCodec {
    guard case .attribute(let codec) = _storage.description.properties[index].kind else {
      preconditionFailure("\(key) of \(Model.self) is not an attribute.")
    }
    return codec
  }

  private func attribute<Value>(_ key: KeyPath<Model, Value>) -> Value {
    let index = index(of: key)
    let codec = codec(index, key)
    // A nil of an optional property's own type, or a value of it.
    if let value = codec.decode(_storage.fieldValue(index)) as? Value { return value }
    return _storage.missing(index)
  }

  private func setAttribute<Value>(_ key: KeyPath<Model, Value>, _ value: Value) {
    let index = index(of: key)
    withModel { model in
      _storage.mutate(model, index) { _storage.assign(index, _storage.coded(index, value), of: model) }
    }
  }

  /// The storage's object: the one in the context, else one made around the storage.
  private func withModel(_ body: (Model) -> Void) {
    let registered = _storage.context?.registered(_storage.recordID) as? Model
    body(registered ?? Adoption.make(Model.self, around: _storage))
  }
}

extension PersistentModel {
  /// The value of an attribute by key path. Traps for one that names no stored property, as do all the others.
  public func getValue<Value: Decodable>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }
  /// The target of a to-one relationship that always has one, by key path.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }
  /// The target of a to-one relationship, by key path; nil without one.
  public func getValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>) -> Value? {
    persistentBackingData.getValue(forKey: key)
  }
  /// The members of a to-many relationship, by key path.
  public func getValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }
  /// The members of a to-many relationship whose type is `Decodable`, too, by key path.
  public func getValue<Value: Decodable & RelationshipCollection>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getValue(forKey: key)
  }
  /// The value of an attribute with `.transformable(by:)`, by key path.
  public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
    persistentBackingData.getTransformableValue(forKey: key)
  }
  /// Sets the value of an attribute by key path, as an assignment to the property does.
  public func setValue<Value: Encodable>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the target of a to-one relationship that always has one, by key path.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the target of a to-one relationship by key path, or takes it away.
  public func setValue<Value: PersistentModel>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the members of a to-many relationship by key path.
  public func setValue<Value: RelationshipCollection>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the members of a to-many relationship whose type is `Encodable`, too, by key path.
  public func setValue<Value: Encodable & RelationshipCollection>(
    forKey key: KeyPath<Self, Value>, to newValue: Value
  ) {
    persistentBackingData.setValue(forKey: key, to: newValue)
  }
  /// Sets the value of an attribute with `.transformable(by:)`, by key path.
  public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
    persistentBackingData.setTransformableValue(forKey: key, to: newValue)
  }
}
