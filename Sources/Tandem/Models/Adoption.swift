import Foundation

/// Hands the storage of a fetched object to the object's initialiser.
///
/// A class's stored properties are initialised before its initialiser can say that the values exist
/// already, so the storage waits here, on the thread, and the defaults are not evaluated.
enum Adoption {
  private final class Waiting {
    var storage: ModelStorage?
  }

  // A thread's value is read and written by that thread alone.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { value in
      // The thread ends; nobody else has the reference that `waiting` retained.
      if let value { Unmanaged<Waiting>.fromOpaque(value).release() }
    }
    precondition(code == 0, "This process has no thread-local keys left (code \(code)).")
    return key
  }()

  private static var waiting: Waiting {
    if let value = pthread_getspecific(key) { return Unmanaged<Waiting>.fromOpaque(value).takeUnretainedValue() }
    let made = Waiting()
    pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
    return made
  }

  /// Makes an object around a storage.
  static func make<M: PersistentModel>(_ type: M.Type, around storage: ModelStorage) -> M {
    let waiting = waiting
    waiting.storage = storage
    defer { waiting.storage = nil }
    return M(backingData: ModelBackingData<M>(storage))
  }

  /// The storage that waits for an object of this class, once.
  static func take(_ type: any PersistentModel.Type) -> ModelStorage? {
    guard let value = pthread_getspecific(key) else { return nil }
    let waiting = Unmanaged<Waiting>.fromOpaque(value).takeUnretainedValue()
    guard let storage = waiting.storage, storage.type == type else { return nil }
    waiting.storage = nil
    return storage
  }
}
