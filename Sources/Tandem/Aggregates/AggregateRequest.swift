import RecordStore

/// Key paths as the store's fields, and the store's values as those of the key paths.
struct AggregateRequest<Model: PersistentModel> {
  let binding: EntityBinding
  private(set) var keys: [FieldPath] = []
  private(set) var functions: [AggregateFunction] = []
  /// Per key and then per function, the number of its property; -1 for functions of no property.
  private var properties: [Int] = []

  init(_ binding: EntityBinding) { self.binding = binding }

  mutating func add(key keyPath: AnyKeyPath) throws {
    let property = try property(at: keyPath)
    keys.append(FieldPath(binding.ordinals[property]))
    properties.append(property)
  }

  mutating func add<Result>(_ aggregate: Aggregate<Model, Result>) throws {
    for part in aggregate.parts {
      let property = try part.keyPath.map { try self.property(at: $0) }
      functions.append(part.function(FieldPath(property.map { binding.ordinals[$0] } ?? 0)))
      properties.append(property ?? -1)
    }
  }

  private func property(at keyPath: AnyKeyPath) throws -> Int {
    guard let property = binding.propertyTable.property(at: keyPath), case .attribute = property.kind,
      binding.ordinals[property.index] >= 0
    else {
      throw SwiftDataError(
        .unsupportedKeyPath, "\(keyPath) is no stored attribute of \(Model.self): aggregates are computed over those")
    }
    return property.index
  }

  /// A key's value from the front of a group's.
  func take<Key>(_ fields: inout ArraySlice<FieldValue>, as keyPath: KeyPath<Model, Key>) throws -> Key {
    let field = fields.removeFirst()
    let property = binding.description.properties[try property(at: keyPath)]
    if field == .null, let none = Optional<Any>.none as? Key { return none }
    if case .attribute(let codec) = property.kind, let value = codec.decode(field) as? Key { return value }
    throw SwiftDataError(
      .unsupportedKeyPath,
      "\(Model.self).\(property.name) has a stored value that \(Key.self) does not know: add the case to the type")
  }

  /// The rows over objects, which may have unsaved changes.
  func rows(of models: [Model], _ query: RecordQuery) throws -> [AggregateRow] {
    let fields = binding.entity.fields
    var aggregator = try Aggregator(AggregateQuery(query, keys: keys, functions: functions)) {
      fields[$0.ordinals[0]].type
    }
    for model in models {
      let storage = model._$storage
      let values = properties.map { $0 < 0 ? FieldValue.null : storage.fieldValue($0) }
      // Held while their bytes are looked at.
      let encoded = values.map { $0 == .null ? nil : EncodedValue($0) }
      withExtendedLifetime(encoded) { aggregator.add { encoded[$0]?.bytes } }
    }
    return aggregator.rows()
  }
}
