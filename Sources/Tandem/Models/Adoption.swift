import Foundation

/// Hands the storage of a fetched object to the object's initialiser.
///
/// A class's stored properties are initialised before its initialiser can say that the values exist
/// already, so the storage waits here, on the thread, and the defaults are not evaluated. A pointer file: what
/// waits on a thread is a bare address, which is cleared before ``make(_:around:)`` returns.
enum Adoption {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "This process has no thread-local keys left (code \(code)).")
    return key
  }()

  /// Makes an object around a storage.
  static func make<M: PersistentModel>(_ type: M.Type, around storage: ModelStorage) -> M {
    let key = key
    pthread_setspecific(key, Unmanaged.passUnretained(storage).toOpaque())
    defer { pthread_setspecific(key, nil) }
    return withExtendedLifetime(storage) { M(backingData: ModelBackingData<M>(storage)) }
  }

  /// The storage that waits for an object of this class, once.
  static func take(_ type: any PersistentModel.Type) -> ModelStorage? {
    let key = key
    guard let value = pthread_getspecific(key) else { return nil }
    // `make`, below us on this thread, holds the storage.
    let storage = Unmanaged<ModelStorage>.fromOpaque(value).takeUnretainedValue()
    guard storage.type == type else { return nil }
    pthread_setspecific(key, nil)
    return storage
  }
}
