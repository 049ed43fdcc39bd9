import Foundation
import Synchronization

/// Waits on the main thread for what is asynchronous, and lets the main actor work meanwhile.
///
/// The program's `main` is synchronous: one that is not ends in libdispatch waiting for signals with a constant mask,
/// which valgrind writes to, and dies.
enum Waiting {
  static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let failure = FailureBox()
    let isDone = DoneBox()
    Task.detached {
      do { try await body() } catch { failure.note(error) }
      isDone.note()
      // Wakes the loop below.
      DispatchQueue.main.async {}
    }
    while !isDone.isNoted { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    try failure.rethrow()
  }
}

private final class DoneBox: Sendable {
  private let done = Mutex(false)
  var isNoted: Bool { done.withLock { $0 } }
  func note() { done.withLock { $0 = true } }
}
