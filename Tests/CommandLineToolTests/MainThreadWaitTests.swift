import Foundation
import Testing

@testable import CommandLineTool

/// How the main thread waits for work that a signal may end.
struct MainThreadWaitTests {
  /// The signal found no work yet, and the next one ended the process hard.
  @Test func `work that is cancelled before it begins is cancelled`() async throws {
    let isCancelled = try await withCheckedThrowingContinuation { continuation in
      // It blocks its thread, which must be none of Swift's.
      let thread = Thread {
        let wait = MainThreadWait<Bool>()
        wait.cancel()
        continuation.resume(with: Result { try wait.run { Task.isCancelled } })
      }
      thread.start()
    }
    #expect(isCancelled)
  }
}
