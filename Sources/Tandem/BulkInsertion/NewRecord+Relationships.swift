// Relationships, by saved objects or by identifiers. Each side of a link is written by the save, as with objects.
extension NewRecord {
  /// The target of a to-one relationship: a saved object.
  public subscript<T: PersistentModel>(dynamicMember path: KeyPath<Model, T?>) -> T? {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.link(path, to: newValue.map { [.object($0)] } ?? []) }
  }

  /// The target of a to-one relationship that always has one: a saved object.
  public subscript<T: PersistentModel>(dynamicMember path: KeyPath<Model, T>) -> T {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.link(path, to: [.object(newValue)]) }
  }

  /// The members of a to-many relationship: saved objects.
  public subscript<T: PersistentModel>(dynamicMember path: KeyPath<Model, [T]>) -> [T] {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.link(path, to: newValue.map { .object($0) }) }
  }

  /// The members of an optional to-many relationship: saved objects.
  public subscript<T: PersistentModel>(dynamicMember path: KeyPath<Model, [T]?>) -> [T]? {
    @available(*, unavailable, message: "a new record takes values and gives none: keep what you set in a variable")
    get { preconditionFailure("A new record gives no values.") }
    set { values.link(path, to: (newValue ?? []).map { .object($0) }) }
  }

  /// Gives a to-one relationship its target, or none, by identifier: no object is needed.
  public mutating func link<T: PersistentModel>(_ path: KeyPath<Model, T?>, to target: PersistentIdentifier?) {
    values.link(path, to: target.map { [.identifier($0)] } ?? [])
  }

  /// Gives a to-one relationship that always has a target its own, by identifier.
  public mutating func link<T: PersistentModel>(_ path: KeyPath<Model, T>, to target: PersistentIdentifier) {
    values.link(path, to: [.identifier(target)])
  }

  /// Gives a to-many relationship its members by identifier.
  public mutating func link<T: PersistentModel>(_ path: KeyPath<Model, [T]>, to members: [PersistentIdentifier]) {
    values.link(path, to: members.map { .identifier($0) })
  }

  /// Gives an optional to-many relationship its members by identifier.
  public mutating func link<T: PersistentModel>(_ path: KeyPath<Model, [T]?>, to members: [PersistentIdentifier]) {
    values.link(path, to: members.map { .identifier($0) })
  }
}
