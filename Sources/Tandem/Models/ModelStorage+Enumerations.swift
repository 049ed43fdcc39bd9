import RecordStore

// Enumerations, and whatever else has a raw value with a field type of its own. The raw value lies in the record.
//
// A pointer file: a value that is bits alone and no more than a word is read as the bits that `KnownCases` has of it.

extension ModelStorage {
  /// Part of the expansion of ``Model()``: gives an attribute with raw values its first value.
  public func initialize<V: RawRepresentable & Codable>(_ index: Int, to value: V)
  where V.RawValue: PrimitiveAttribute {
    slots[index] = .value(value.rawValue._fieldValue)
  }
  /// Part of the expansion of ``Model()``: gives an optional attribute with raw values its first value.
  public func initialize<V: RawRepresentable & Codable>(
    _ index: Int, to value: V?
  ) where V.RawValue: PrimitiveAttribute {
    slots[index] = .value(value?.rawValue._fieldValue ?? .null)
  }
  /// Part of the expansion of ``Model()``: the value of an attribute with raw values.
  @inlinable
  public func get<V: RawRepresentable & Codable>(_ index: Int) -> V where V.RawValue: PrimitiveAttribute {
    _knownCase(index) ?? _case(index) ?? _missingCase(index)
  }
  /// Part of the expansion of ``Model()``: the value of an optional attribute with raw values; nil also for a raw value
  /// that the type does not know.
  @inlinable
  public func get<V: RawRepresentable & Codable>(_ index: Int) -> V? where V.RawValue: PrimitiveAttribute {
    _knownCase(index) ?? _case(index)
  }
  /// Part of the expansion of ``Model()``: sets an attribute with raw values, and tells observers.
  public func set<M: PersistentModel, V: RawRepresentable & Codable>(
    _ index: Int, to value: V, of model: M, _ path: @autoclosure () -> KeyPath<M, V>
  ) where V.RawValue: PrimitiveAttribute {
    mutate(model, path) { assign(index, .value(value.rawValue._fieldValue), of: model) }
  }
  /// Part of the expansion of ``Model()``: sets an optional attribute with raw values, and tells observers.
  public func set<M: PersistentModel, V: RawRepresentable & Codable>(
    _ index: Int, to value: V?, of model: M, _ path: @autoclosure () -> KeyPath<M, V?>
  ) where V.RawValue: PrimitiveAttribute {
    mutate(model, path) { assign(index, .value(value?.rawValue._fieldValue ?? .null), of: model) }
  }

  /// A value that was made before for the same bytes. Inlined, because there the compiler knows the type, while
  /// generic code would ask the runtime for its metadata.
  @inlinable
  func _knownCase<V>(_ index: Int) -> V? {
    guard _isPOD(V.self), MemoryLayout<V>.size <= MemoryLayout<UInt64>.size,
      let bits = knownBits(index, of: ObjectIdentifier(V.self))
    else { return nil }
    return withUnsafeBytes(of: bits) { $0.load(as: V.self) }
  }

  @usableFromInline
  func knownBits(_ index: Int, of type: ObjectIdentifier) -> UInt64? {
    guard isUnset(index), let places, places[index].ordinal >= 0,
      let field = withExtendedLifetime(self, { view.shortField(at: places[index].ordinal) })
    else { return nil }
    return places[index].cases.bits(field, of: type)
  }

  private func isUnset(_ index: Int) -> Bool {
    if slots.isEmpty { return true }
    if case .empty = slots[index] { return true }
    return false
  }

  /// The value of the raw value, which is noted where the record's bytes stand for it.
  @usableFromInline
  func _case<V: RawRepresentable>(_ index: Int) -> V? where V.RawValue: PrimitiveAttribute {
    guard let value = (_value(index) as V.RawValue?).flatMap(V.init(rawValue:)) else { return nil }
    guard _isPOD(V.self), MemoryLayout<V>.size <= MemoryLayout<UInt64>.size, isUnset(index), let places,
      places[index].ordinal >= 0, let field = withExtendedLifetime(self, { view.shortField(at: places[index].ordinal) })
    else { return value }
    var bits: UInt64 = 0
    withUnsafeMutableBytes(of: &bits) { $0.storeBytes(of: value, as: V.self) }
    places[index].cases.note(bits, field, of: ObjectIdentifier(V.self))
    return value
  }

  @usableFromInline
  func _missingCase<V: RawRepresentable>(_ index: Int) -> V where V.RawValue: PrimitiveAttribute {
    MissingValue.raw(V.self, of: self, index)
  }
}
