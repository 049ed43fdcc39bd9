import RecordStore

// Attributes whose form in the store is not that of their type: `.codable` and `.transformable(by:)`. The expansion
// of `@Model` names these functions, as the type alone does not tell.

extension ModelStorage {
  /// Part of the expansion of ``Model()``: gives an attribute with a coding of its own its first value.
  public func initializeCoded<V>(_ index: Int, to value: V) { slots[index] = coded(index, value) }

  /// Part of the expansion of ``Model()``: the value of an attribute with a coding of its own, decoded at its first
  /// reading.
  public func getCoded<V>(_ index: Int) -> V {
    if !slots.isEmpty, case .composite(let held) = slots[index], let value = held.value as? V { return value }
    let stored = fieldValue(index)
    guard stored != .null, let value = codec(of: index)?.decode(stored) as? V else { return missing(index) }
    cache(index, .composite(CompositeValue(value) { stored }))
    return value
  }

  /// Part of the expansion of ``Model()``: sets an attribute with a coding of its own, and tells observers.
  public func setCoded<M: PersistentModel, V>(
    _ index: Int, to value: V, of model: M, _ path: @autoclosure () -> KeyPath<M, V>
  ) {
    mutate(model, path) { assign(index, coded(index, value), of: model) }
  }

  private func codec(of index: Int) -> AttributeCodec? {
    guard case .attribute(let codec) = description.properties[index].kind else { return nil }
    return codec
  }

  /// A value in the form that the attribute's options ask for.
  func coded(_ index: Int, _ value: Any) -> Slot {
    let property = description.properties[index]
    let encoded = codec(of: index)?.encode(value)
    if let encoded, encoded.type != .composite { return .value(encoded) }
    return .composite(
      CompositeValue(value) {
        if let encoded { return encoded }
        throw SwiftDataError(
          .modelValidationFailure,
          "\(description.name).\(property.name) has a value that its coding refuses: set another value")
      })
  }
}
