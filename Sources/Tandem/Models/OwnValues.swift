import RecordStore

/// Part of the expansion of ``Model()``: what the initialisers of a class give to the properties that it adds to those
/// of its superclass, until the object is whole and its one storage is there to take them.
public struct _OwnValues {
  /// Nil once the storage has the values, and of a fetched object, which brings its own.
  private var held: ModelStorage?

  /// Defaults are evaluated for a new object only.
  public init<M: PersistentModel>(of type: M.Type, _ defaults: (ModelStorage) -> Void = { _ in }) {
    guard !Adoption.isAwaited(by: type) else { return }
    let values = ModelStorage.empty(ModelDescription.of(type), RecordID(high: 0, low: 0))
    defaults(values)
    held = values
  }

  /// Where an initialiser puts values before the object is whole.
  public var target: ModelStorage {
    guard let held else { preconditionFailure("An initialiser gives values before the object has its storage.") }
    return held
  }

  /// Puts the values into the object's storage, which becomes one of the class.
  public mutating func handOver<M: PersistentModel>(_ type: M.Type, to storage: ModelStorage) {
    guard let held else { return }
    self.held = nil
    // Backing data of the class itself, given to its initialiser: they have values of their own.
    guard !storage.description.isKind(of: ModelDescription.of(type)) else { return }
    storage.take(held)
  }

  /// Lets the superclass adopt what its subclass was made around; given to the superclass' initialiser.
  public static func passing<M: PersistentModel, Root: PersistentModel>(
    _ backingData: any BackingData<Root>, from type: M.Type
  ) -> any BackingData<Root> {
    if let superclass = _getSuperclass(type) { Adoption.pass(backingData._storage, to: superclass) }
    return backingData
  }
}

extension ModelStorage {
  /// Where an initialiser puts values: here, for the class at the root of a hierarchy.
  public var target: ModelStorage { self }

  /// The storage of an object that is whole now, with what the initialisers of its subclasses gave.
  public func completed<M: PersistentModel>(by model: M) -> ModelStorage {
    isWhole = true
    model._$handOver(to: self)
    return self
  }

  /// Takes what the initialisers of a subclass gave to its properties, and becomes a storage of that class.
  fileprivate func take(_ values: ModelStorage) {
    description = values.description
    let start = slots.count
    slots += values.slots[start...]
    flags.formUnion(values.flags)
  }
}
