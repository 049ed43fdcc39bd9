import Dispatch
import Synchronization

/// Waits on the caller's thread for what is asynchronous.
///
/// The program's `main` is synchronous: one that is not ends in libdispatch waiting for signals with a constant mask,
/// which valgrind writes to, and dies.
enum Waiting {
  static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let failure = FailureBox()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await body() } catch { failure.note(error) }
      isDone.signal()
    }
    isDone.wait()
    try failure.rethrow()
  }
}
