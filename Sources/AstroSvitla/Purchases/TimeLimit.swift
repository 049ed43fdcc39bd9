import AppStorePurchases
import Foundation

/// Waits for work, but not longer than it may take.
enum TimeLimit {
  /// Throws what `work` throws, or `StoreKitError.networkError` with a time-out when it takes longer. The work is
  /// cancelled then, and left alone if it does not heed that.
  static func run(_ limit: Duration, _ work: @escaping @Sendable () async throws -> Void) async throws {
    let (answers, answer) = AsyncThrowingStream<Void, any Error>.makeStream()
    let worker = Task {
      do {
        answer.yield(try await work())
      } catch {
        answer.finish(throwing: error)
      }
    }
    let timer = Task {
      try await Task.sleep(for: limit)
      answer.finish(throwing: StoreKitError.networkError(URLError(.timedOut)))
      worker.cancel()
    }
    defer { timer.cancel() }
    for try await _ in answers { return }
    throw CancellationError()
  }
}
