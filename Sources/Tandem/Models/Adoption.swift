import Foundation

/// Hands the storage of a fetched object to the object's initialiser.
///
/// A class's stored properties are initialised before its initialiser can say that the values exist
/// already, so the storage waits here, on the thread, and the defaults are not evaluated. It waits for one class: that
/// of the object, then, as the initialisers go up, for each superclass that is a model in its turn, so that another
/// object that is made on the way does not take it. A pointer file: what waits on a thread is a bare address, which is
/// cleared before ``make(_:around:)`` returns.
enum Adoption {
  private struct Waiting {
    let storage: Unmanaged<ModelStorage>
    /// The class whose turn it is; nil between two.
    var awaited: ObjectIdentifier?
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "This process has no thread-local keys left (code \(code)).")
    return key
  }()

  private static var waiting: UnsafeMutablePointer<Waiting>? {
    pthread_getspecific(key)?.assumingMemoryBound(to: Waiting.self)
  }

  /// Makes an object around a storage.
  static func make<M: PersistentModel>(_ type: M.Type, around storage: ModelStorage) -> M {
    let key = key
    // The object of a property's default may be made while another one is.
    let outer = pthread_getspecific(key)
    defer { pthread_setspecific(key, outer) }
    var waiting = Waiting(storage: .passUnretained(storage), awaited: ObjectIdentifier(type))
    return withUnsafeMutablePointer(to: &waiting) { pointer in
      pthread_setspecific(key, pointer)
      return withExtendedLifetime(storage) { M(backingData: ModelBackingData<M>(storage)) }
    }
  }

  /// The storage that waits for an object of this class, once.
  static func take(_ type: any PersistentModel.Type) -> ModelStorage? {
    guard let waiting, waiting.pointee.awaited == ObjectIdentifier(type) else { return nil }
    waiting.pointee.awaited = nil
    // `make`, below us on this thread, holds the storage.
    let storage = waiting.pointee.storage.takeUnretainedValue()
    storage.isWhole = true
    return storage
  }

  /// Whether a storage waits for an object of this class, which a superclass will take; said once.
  static func isAwaited(by type: any PersistentModel.Type) -> Bool {
    guard let waiting, waiting.pointee.awaited == ObjectIdentifier(type) else { return false }
    waiting.pointee.awaited = nil
    return true
  }

  /// The superclass' turn begins, if it is this storage that waits.
  static func pass(_ storage: ModelStorage, to superclass: AnyClass) {
    let bare = Unmanaged.passUnretained(storage)
    guard let waiting, waiting.pointee.storage.toOpaque() == bare.toOpaque() else { return }
    waiting.pointee.awaited = ObjectIdentifier(superclass)
  }
}
