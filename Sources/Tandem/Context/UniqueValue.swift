import RecordStore

/// An object's value of an attribute, or its values of several together, that only one object of its class may have.
struct UniqueValue: Hashable {
  let entity: EntityNumber
  let ordinals: [Int]
  let values: [FieldValue]

  /// Those of an object in a context. With a missing part it is not unique.
  static func all(of storage: ModelStorage) -> [UniqueValue] {
    guard let binding = storage.binding else { return [] }
    return binding.uniqueProperties.compactMap { indexes in
      let values = indexes.map { storage.fieldValue($0) }
      guard !values.contains(.null) else { return nil }
      return UniqueValue(
        entity: binding.entity.number, ordinals: indexes.map { binding.ordinals[$0] }, values: values)
    }
  }
}
