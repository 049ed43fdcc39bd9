import RecordStore

// Reading and writing relationships, by the property's type.

extension ModelStorage {
  // MARK: To one

  /// Part of the expansion of ``Model()``: gives a to-one relationship its first target. The other side is set at the
  /// object's first use.
  public func initialize<T: PersistentModel>(_ index: Int, to value: T?) {
    slots[index] = value.map { .toOne($0) } ?? .value(.null)
    if value != nil { flags.insert(.unlinked) }
  }
  /// Part of the expansion of ``Model()``: gives a to-one relationship that always has a target its first one.
  public func initialize<T: PersistentModel>(_ index: Int, to value: T) {
    slots[index] = .toOne(value)
    flags.insert(.unlinked)
  }
  /// Nil also when the target was deleted.
  public func get<T: PersistentModel>(_ index: Int) -> T? {
    guard let target = target(index), !target._$storage.isDeleted else { return nil }
    return exactly(T.self, target)
  }
  /// The target even when it was deleted, with its last values.
  public func get<T: PersistentModel>(_ index: Int) -> T {
    if let target = target(index) as? T { return target }
    return lostTarget(index)
  }
  /// Part of the expansion of ``Model()``: sets the target, or takes it away, on both sides, and tells observers.
  public func set<M: PersistentModel, T: PersistentModel>(
    _ index: Int, to value: T?, of model: M, _ path: @autoclosure () -> KeyPath<M, T?>
  ) {
    mutate(model, path) { setTarget(index, to: value, of: model) }
  }
  /// Part of the expansion of ``Model()``: sets the target on both sides, and tells observers.
  public func set<M: PersistentModel, T: PersistentModel>(
    _ index: Int, to value: T, of model: M, _ path: @autoclosure () -> KeyPath<M, T>
  ) {
    mutate(model, path) { setTarget(index, to: value, of: model) }
  }

  // MARK: To many

  /// Part of the expansion of ``Model()``: gives a to-many relationship its first members.
  public func initialize<T: PersistentModel>(_ index: Int, to value: [T]) {
    slots[index] = .toMany(ToMany(members: value))
    if !value.isEmpty { flags.insert(.unlinked) }
  }
  /// Part of the expansion of ``Model()``: gives an optional to-many relationship its first members; nil: none.
  public func initialize<T: PersistentModel>(_ index: Int, to value: [T]?) {
    initialize(index, to: value ?? [])
  }
  /// Part of the expansion of ``Model()``: the members, without those that were deleted.
  @inlinable
  public func get<T: PersistentModel>(_ index: Int) -> [T] {
    var members = present(index, as: T.self)
    return members.takeAll(as: T.self)
  }

  /// The members that were not deleted. Without the class as a type parameter, which would be asked of the runtime at
  /// each step.
  @usableFromInline
  func present(_ index: Int, as type: any PersistentModel.Type) -> ObjectList {
    let members = members(index)
    var present = ObjectList(capacity: members.count)
    for member in members where !member._$storage.isDeleted && isKind(member, of: type) { present.append(member) }
    return present
  }

  private func isKind(_ member: any PersistentModel, of type: any PersistentModel.Type) -> Bool {
    func isInstance<T: PersistentModel>(_ type: T.Type) -> Bool { member is T }
    return Swift.type(of: member) == type || isInstance(type)
  }
  /// Never nil: a relationship without objects is an empty one.
  public func get<T: PersistentModel>(_ index: Int) -> [T]? {
    let members: [T] = get(index)
    return members
  }
  /// Part of the expansion of ``Model()``: sets the members on both sides, and tells observers.
  public func set<M: PersistentModel, T: PersistentModel>(
    _ index: Int, to value: [T], of model: M, _ path: @autoclosure () -> KeyPath<M, [T]>
  ) {
    mutate(model, path) { setMembers(index, to: value, of: model) }
  }
  /// Part of the expansion of ``Model()``: sets the members on both sides, nil for none, and tells observers.
  public func set<M: PersistentModel, T: PersistentModel>(
    _ index: Int, to value: [T]?, of model: M, _ path: @autoclosure () -> KeyPath<M, [T]?>
  ) {
    mutate(model, path) { setMembers(index, to: value ?? [], of: model) }
  }

  /// A target that must be there and is not known any more: an object that counts as deleted.
  private func lostTarget<T: PersistentModel>(_ index: Int) -> T {
    let storage = ModelStorage.withDefaults(of: T.self, RecordIDGenerator.shared.next())
    storage.flags = .gone
    return Adoption.make(T.self, around: storage)
  }
}

/// An object as its class, if it is that: a comparison of types, which spares most objects the dynamic cast.
func exactly<T: PersistentModel>(_ type: T.Type, _ model: any PersistentModel) -> T? {
  guard Swift.type(of: model) == type else { return model as? T }
  // Checked in the line above.
  return unsafeDowncast(model, to: T.self)
}
