import CLMDB

/// A mutex with a condition, where the standard library's `Mutex` does not suffice: for waiting, and
/// for a lock that is taken in one call and released in another on the same thread.
// @unchecked: both members are system objects made for use from any thread.
final class Monitor: @unchecked Sendable {
  // Pointers to memory that is allocated once and never moved, as POSIX demands of its locks.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  // The same holds for the condition.
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    precondition(pthread_mutex_init(mutex, nil) == 0, "the system has no memory for a mutex")
    precondition(pthread_cond_init(condition, nil) == 0, "the system has no memory for a condition")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(condition)
    mutex.deallocate()
    condition.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }

  /// Releases the lock, sleeps, takes the lock again. Wakes without a reason, too: call it in a loop.
  func wait() { pthread_cond_wait(condition, mutex) }
  func wakeAll() { pthread_cond_broadcast(condition) }

  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
