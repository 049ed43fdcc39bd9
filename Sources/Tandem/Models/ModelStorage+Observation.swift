import Observation

extension ModelStorage {
  /// Tells the observation tracking on this thread, if there is one, that a property is read.
  @inlinable
  public func access<M: PersistentModel, V>(_ model: M, _ path: @autoclosure () -> KeyPath<M, V>) {
    // Without type parameters, as nearly all reads end here.
    if isReadUnnoticed { return }
    note(accessTo: model, path())
  }

  @usableFromInline var isReadUnnoticed: Bool { !needsAttention && !ObservationProbe.isTracking }

  @usableFromInline
  func note<M: PersistentModel, V>(accessTo model: M, _ path: @autoclosure () -> KeyPath<M, V>) {
    if flags.contains(.unlinked) { linkInitialRelationships(of: model) }
    guard isObserved || ObservationProbe.isTracking else { return }
    let registrar = registrar ?? ObservationRegistrar()
    self.registrar = registrar
    registrar.access(model, keyPath: path())
  }

  func mutate<M: PersistentModel, V>(_ model: M, _ path: () -> KeyPath<M, V>, _ change: () -> Void) {
    if flags.contains(.unlinked) { linkInitialRelationships(of: model) }
    guard isObserved, let registrar else { return change() }
    registrar.withMutation(of: model, keyPath: path(), change)
  }

  /// A change that did not come through the property's setter: the other side of a relationship, another
  /// context, a rollback.
  func mutate(_ model: any PersistentModel, _ index: Int, _ change: () -> Void) {
    guard isObserved, let registrar else { return change() }
    // Observers name a property by the class that declares it, whatever the object's is.
    let declaring = description.declaring(index)
    Self.mutate(model, as: declaring.type, declaring.properties[index].keyPath, registrar, change)
  }

  private static func mutate<M: PersistentModel>(
    _ model: any PersistentModel, as type: M.Type, _ path: AnyKeyPath, _ registrar: ObservationRegistrar,
    _ change: () -> Void
  ) {
    func opened<V>(_ valueType: V.Type) {
      guard let model = exactly(type, model), let path = path as? KeyPath<M, V> else { return change() }
      registrar.withMutation(of: model, keyPath: path, change)
    }
    func open(_ valueType: Any.Type) { _openExistential(valueType, do: opened) }
    open(Swift.type(of: path).valueType)
  }
}

// For computed properties that read or change what the store does not know.
extension PersistentModel {
  /// Tells the observation tracking on this thread, if there is one, that a property is read.
  public func access<Member>(keyPath: KeyPath<Self, Member>) { _$storage.access(self, keyPath) }

  /// Tells observers of a property that `mutation` changes it.
  ///
  /// - Throws: What `mutation` throws.
  public func withMutation<Member, Result>(
    keyPath: KeyPath<Self, Member>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let registrar = _$storage.registrar else { return try mutation() }
    return try registrar.withMutation(of: self, keyPath: keyPath, mutation)
  }
}
