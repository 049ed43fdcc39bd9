import CThreads

/// Hands the storage of a fetched object to the object's initialiser.
///
/// A class's stored properties are initialised before its initialiser can say that the values exist
/// already, so the storage waits here, on the thread, and the defaults are not evaluated. It waits for one class: that
/// of the object, then, as the initialisers go up, for each superclass that is a model in its turn, so that another
/// object that is made on the way does not take it. A pointer file: what waits on a thread is a bare address, which is
/// cleared before ``make(_:around:)`` returns. A storage that was taken waits for its own address, which is no class's.
enum Adoption {
  /// Makes an object around a storage. `backingData`: ``ModelBackingData/adopted``, made once for many objects, because
  /// generic code asks the runtime for the metadata of each.
  ///
  /// The caller's counted reference to the storage goes to the taker.
  static func make<M: PersistentModel>(
    _ backingData: any BackingData<M>, around waiting: Unmanaged<ModelStorage>
  ) -> M {
    // The object of a property's default may be made while another one is.
    let outer = tandem_current_adoption()
    let address = UnsafeRawPointer(waiting.toOpaque())
    tandem_set_current_adoption(tandem_adoption(storage: address, awaited: Self.address(of: M.self)))
    defer {
      if tandem_current_adoption().awaited != address { waiting.release() }
      tandem_set_current_adoption(outer)
    }
    return M(backingData: backingData)
  }

  static func make<M: PersistentModel>(_ type: M.Type, around storage: ModelStorage) -> M {
    make(ModelBackingData<M>.adopted, around: .passRetained(storage))
  }

  /// The storage that waits for an object of this class, once.
  static func take(_ type: AnyClass) -> ModelStorage? {
    let current = tandem_current_adoption()
    guard let waiting = current.storage, current.awaited == address(of: type) else { return nil }
    tandem_set_current_adoption(tandem_adoption(storage: waiting, awaited: waiting))
    let storage = Unmanaged<ModelStorage>.fromOpaque(waiting).takeRetainedValue()
    storage.isWhole = true
    return storage
  }

  /// Whether a storage was taken by the object that is being made on this thread.
  static func isTaken(_ storage: ObjectIdentifier) -> Bool {
    tandem_current_adoption().awaited == UnsafeRawPointer(bitPattern: UInt(bitPattern: storage))
  }

  /// The storage of the object that is being made on this thread.
  static var storage: ModelStorage {
    guard let waiting = tandem_current_adoption().storage else {
      preconditionFailure("Backing data for the making of one object was asked for another.")
    }
    // Held by `make`, below us on this thread, or by the object that took it.
    return Unmanaged<ModelStorage>.fromOpaque(waiting).takeUnretainedValue()
  }

  /// Whether a storage waits for an object of this class, which a superclass will take; said once.
  static func isAwaited(by type: AnyClass) -> Bool {
    let current = tandem_current_adoption()
    guard let waiting = current.storage, current.awaited == address(of: type) else { return false }
    tandem_set_current_adoption(tandem_adoption(storage: waiting, awaited: nil))
    return true
  }

  /// The superclass' turn begins, if it is this storage that waits.
  static func pass(_ storage: ModelStorage, to superclass: AnyClass) {
    guard let waiting = tandem_current_adoption().storage, waiting == address(of: storage) else { return }
    tandem_set_current_adoption(tandem_adoption(storage: waiting, awaited: address(of: superclass)))
  }

  private static func address(of storage: ModelStorage) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(storage).toOpaque())
  }

  private static func address(of type: AnyClass) -> UnsafeRawPointer? {
    UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(type)))
  }
}
