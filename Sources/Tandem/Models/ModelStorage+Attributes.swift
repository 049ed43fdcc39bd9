import Foundation
package import RecordStore

// Reading and writing attributes. The overloads are told apart by the compiler, by the property's type.

extension ModelStorage {
  // MARK: Types with a field type of their own

  /// Part of the expansion of ``Model()``: gives an attribute its first value.
  public func initialize<V: PrimitiveAttribute>(_ index: Int, to value: V) {
    slots[index] = .value(value._fieldValue)
  }
  /// Part of the expansion of ``Model()``: gives an optional attribute its first value.
  public func initialize<V: PrimitiveAttribute>(_ index: Int, to value: V?) {
    slots[index] = .value(value?._fieldValue ?? .null)
  }
  /// Part of the expansion of ``Model()``: the value of an attribute, the type's zero where the record has none.
  @inlinable
  public func get<V: PrimitiveAttribute>(_ index: Int) -> V { _value(index) ?? V._zero }
  /// Part of the expansion of ``Model()``: the value of an optional attribute.
  @inlinable
  public func get<V: PrimitiveAttribute>(_ index: Int) -> V? { _value(index) }
  /// Part of the expansion of ``Model()``: sets an attribute, and tells observers.
  public func set<M: PersistentModel, V: PrimitiveAttribute>(
    _ index: Int, to value: V, of model: M, _ path: @autoclosure () -> KeyPath<M, V>
  ) {
    mutate(model, path) { assign(index, .value(value._fieldValue), of: model) }
  }
  /// Part of the expansion of ``Model()``: sets an optional attribute, and tells observers.
  public func set<M: PersistentModel, V: PrimitiveAttribute>(
    _ index: Int, to value: V?, of model: M, _ path: @autoclosure () -> KeyPath<M, V?>
  ) {
    mutate(model, path) { assign(index, .value(value?._fieldValue ?? .null), of: model) }
  }

  // MARK: Anything else that is Codable

  /// Part of the expansion of ``Model()``: gives an attribute of a `Codable` type its first value.
  @_disfavoredOverload
  public func initialize<V: Codable>(_ index: Int, to value: V) {
    slots[index] = composite(value)
  }
  /// Part of the expansion of ``Model()``: the value of an attribute of a `Codable` type, decoded at its first reading.
  @_disfavoredOverload
  public func get<V: Codable>(_ index: Int) -> V {
    if let value = compositeValue(index, as: V.self) { return value }
    return missing(index)
  }
  /// Part of the expansion of ``Model()``: sets an attribute of a `Codable` type, and tells observers.
  @_disfavoredOverload
  public func set<M: PersistentModel, V: Codable>(
    _ index: Int, to value: V, of model: M, _ path: @autoclosure () -> KeyPath<M, V>
  ) {
    mutate(model, path) { assign(index, composite(value), of: model) }
  }

  // MARK: Anything else

  // Without these the compiler would list the functions above, in each accessor. One of them says what is wrong: there
  // is no property without a getter.

  /// Part of the expansion of ``Model()`` for a type that cannot be stored, which does not compile.
  @_disfavoredOverload
  public func initialize<V>(_ index: Int, to value: V) { Self.refuse(V.self) }
  @available(
    *, unavailable, message: "a model keeps models and Codable values: conform the type, or mark it '@Transient'"
  )
  /// Part of the expansion of ``Model()`` for a type that cannot be stored, which does not compile.
  @_disfavoredOverload
  public func get<V>(_ index: Int) -> V { Self.refuse(V.self) }
  /// Part of the expansion of ``Model()`` for a type that cannot be stored, which does not compile.
  @_disfavoredOverload
  public func set<M: PersistentModel, V>(
    _ index: Int, to value: V, of model: M, _ path: @autoclosure () -> KeyPath<M, V>
  ) { Self.refuse(V.self) }

  private static func refuse(_ type: Any.Type) -> Never {
    preconditionFailure("A property of the type \(type), which is neither a model nor Codable, cannot be compiled.")
  }

  private func composite<V: Codable>(_ value: V) -> Slot {
    if let optional = value as? any OptionalType, optional.wrapped == nil { return .value(.null) }
    return .composite(CompositeValue(value) { try CompositeCoding.encode(value) })
  }

  /// Nil for a property that is optional, else a value that stands for the missing one.
  func missing<V>(_ index: Int) -> V {
    if let optional = V.self as? any OptionalType.Type, let none = optional.none as? V { return none }
    return MissingValue.coded(V.self, of: self, index)
  }

  private func compositeValue<V: Codable>(_ index: Int, as type: V.Type) -> V? {
    if !slots.isEmpty, case .composite(let held) = slots[index], let value = held.value as? V { return value }
    let stored = fieldValue(index)
    guard let value = CompositeCoding.decode(stored, as: type) else { return nil }
    cache(index, .composite(CompositeValue(value) { stored }))
    return value
  }
}

extension ModelStorage {
  /// The value of a property with a field type of its own; nil for null.
  public func _value<V: PrimitiveAttribute>(_ index: Int) -> V? { value(index) }

  @inline(__always)
  func value<V: PrimitiveAttribute>(_ index: Int) -> V? {
    if !slots.isEmpty, case .value(let value) = slots[index] { return V(value) }
    guard let places else { return unstored(index).flatMap { V($0) } }
    let ordinal = places[index].ordinal
    guard ordinal >= 0 else { return unstored(index).flatMap { V($0) } }
    guard let value = withExtendedLifetime(self, { V._read(view, ordinal) }) else {
      return defaulted(index).flatMap { V($0) }
    }
    if let text = value as? String, isWorthKeeping(text) { cache(index, .value(.string(text))) }
    return value
  }

  /// Decoding a text costs less than making room for it, unless the room is there already.
  private func isWorthKeeping(_ text: String) -> Bool {
    let count = text.utf8.count
    return slots.isEmpty ? count > 1_024 : count > 15
  }

  /// A field that a record never got reads as the field's default.
  private func defaulted(_ index: Int) -> FieldValue? {
    guard let field = binding?.fields[index], field.defaultValue != nil else { return nil }
    return hasRecord ? withExtendedLifetime(self) { view.value(of: field) } : nil
  }

  /// The value of an attribute without a field as long as it is not set: its default.
  @inline(never)
  private func unstored(_ index: Int) -> FieldValue? {
    let property = description.properties[index]
    guard binding != nil, !property.isStored, case .attribute(let codec) = property.kind else { return nil }
    return property.defaultValue.flatMap(codec.encode)
  }

  /// The value of an attribute as the store sees it.
  package func fieldValue(_ index: Int) -> FieldValue { presentValue(index) ?? .null }

  /// As ``fieldValue(_:)``; nil for a value that lies beside the store and is missing there.
  func presentValue(_ index: Int) -> FieldValue? {
    // One in memory is itself, even if it looks like the reference to another.
    if let value = heldValue(index) { return value }
    guard let value = recordValue(index) else { return unstored(index) ?? .null }
    return value.resolved
  }

  /// The value of an attribute that lies beside the store, without its bytes; nil for any other.
  func externalReference(_ index: Int) -> ExternalReference? {
    heldValue(index) == nil ? recordValue(index).flatMap { ExternalReference(stored: $0) } : nil
  }

  /// The value in memory; nil where the bytes speak.
  private func heldValue(_ index: Int) -> FieldValue? {
    guard !slots.isEmpty else { return nil }
    return switch slots[index] {
    case .value(let value): value
    case .composite(let held): held.encoded
    case .toOne(let target): .reference(target._$storage.recordID)
    case .empty, .toMany: nil
    }
  }

  /// The value that the object's record has, in the form in which the store holds it; nil without a record or a field.
  func recordValue(_ index: Int) -> FieldValue? {
    guard hasRecord, let field = binding?.fields[index] else { return nil }
    return withExtendedLifetime(self) { view.storedValue(of: field) }
  }

  /// Remembers a decoded value.
  func cache(_ index: Int, _ slot: Slot) {
    growSlots()
    slots[index] = slot
  }

  func growSlots() {
    guard slots.isEmpty else { return }
    if isPacked { return unpack() }
    slots = Slot.empty(binding?.ordinals.count ?? description.properties.count)
  }

  /// Puts a new value over the record's and enters the object into its context's changes.
  func assign(_ index: Int, _ slot: Slot, of model: any PersistentModel) {
    growSlots()
    noteChange(of: index, model)
    slots[index] = slot
    // Unique values of objects with unsaved changes are kept by value.
    if let binding, binding.isUnique[index] { context?.dropPendingKeys(of: binding) }
  }

  /// Marks a property as set since the last save, once.
  func noteChange(of index: Int, _ model: any PersistentModel) {
    if let link, link.isFollowed { link.context?.follow(index, of: model) }
    guard binding != nil, flags.isDisjoint(with: [.inserted, .gone]) else { return }
    if edits == nil { edits = Edits() }
    if let edits, !edits.changed.contains(index) {
      edits.changed.insert(index)
      if !slots.isEmpty, !slots[index].isEmpty { edits.originals[index] = slots[index] }
    }
    noteChange(model)
  }

  /// Enters the object into its context's changes, once.
  func noteChange(_ model: any PersistentModel) {
    guard binding != nil, flags.isDisjoint(with: [.inserted, .gone, .changed]) else { return }
    flags.insert(.changed)
    link?.context?.pendingLists.changed.append(model)
  }
}
