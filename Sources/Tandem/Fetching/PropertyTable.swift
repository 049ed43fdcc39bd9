import RecordStore

/// What the translation of predicates and sort orders knows of one class in its store: the field that
/// each key path names. A class, as operands that carry it are copied often.
final class PropertyTable {
  let description: ModelDescription
  /// Per property the field's ordinal; -1 where the value does not lie in this entity's records.
  let ordinals: ContiguousArray<Int>
  /// Per relationship the other side's table.
  let destination: (Int) -> PropertyTable?

  init(
    description: ModelDescription, ordinals: ContiguousArray<Int>, destination: @escaping (Int) -> PropertyTable?
  ) {
    self.description = description
    self.ordinals = ordinals
    self.destination = destination
  }

  /// The property that a key path names; nil for computed properties and longer paths.
  func property(at keyPath: AnyKeyPath) -> PropertyDescription? {
    description.index(of: keyPath).map { description.properties[$0] }
  }

  /// Whether a key path names the object's identifier.
  func isIdentifier(_ keyPath: AnyKeyPath) -> Bool { Self.isIdentifier(keyPath, of: description.type) }

  private static func isIdentifier<M: PersistentModel>(_ keyPath: AnyKeyPath, of type: M.Type) -> Bool {
    // The type says which `id` is meant: the library's, and not one that the class declares.
    let id: KeyPath<M, PersistentIdentifier> = \.id
    let persistentModelID: KeyPath<M, PersistentIdentifier> = \.persistentModelID
    return keyPath == persistentModelID || keyPath == id
  }
}
