import RecordStore

/// An object's value of an attribute, or its values of several together, that only one object of its class may have.
struct UniqueValue: Hashable {
  let entity: EntityNumber
  let ordinals: [Int]
  let values: [FieldValue]
  /// The values as an index has them, where also not-a-number is one value.
  private let key: [UInt8]

  private init(_ values: [FieldValue], _ ordinals: [Int], of entity: EntityNumber) {
    var encoder = KeyEncoder()
    for value in values { encoder.append(value) }
    (self.entity, self.ordinals, self.values, key) = (entity, ordinals, values, encoder.take())
  }

  static func == (left: UniqueValue, right: UniqueValue) -> Bool {
    left.entity == right.entity && left.ordinals == right.ordinals && left.key == right.key
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(entity)
    hasher.combine(ordinals)
    hasher.combine(key)
  }

  /// Those of an object in a context. With a missing part it is not unique.
  static func all(of storage: ModelStorage) -> [UniqueValue] {
    guard let binding = storage.binding else { return [] }
    return values(of: binding.uniqueProperties, binding, storage)
  }

  /// Those of ``all(of:)`` that a save does not refuse where another object has them: an insert becomes that object.
  static func adopted(of storage: ModelStorage) -> [UniqueValue] {
    guard let binding = storage.binding else { return [] }
    return values(of: binding.adoptedProperties, binding, storage)
  }

  private static func values(
    of properties: [[Int]], _ binding: EntityBinding, _ storage: ModelStorage
  ) -> [UniqueValue] {
    properties.compactMap { indexes in
      let values = indexes.map { storage.fieldValue($0) }
      guard !values.contains(.null) else { return nil }
      return UniqueValue(values, indexes.map { binding.ordinals[$0] }, of: binding.entity.number)
    }
  }
}
