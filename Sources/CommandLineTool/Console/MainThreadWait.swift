import Dispatch
import Synchronization

/// Runs asynchronous work to its end while the main thread waits.
///
/// Commands are synchronous and own the main thread, which is none of Swift's shared threads, so waiting
/// here starves nobody.
final class MainThreadWait<Value: Sendable>: Sendable {
  private let outcome = Mutex<Result<Value, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)
  private let work = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

  /// `cancel()` from another thread, even before this call, ends it early, with whatever the work makes of its
  /// cancellation.
  func run(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    work.withLock { work in
      let task = Task {
        do {
          let value = try await body()
          outcome.withLock { $0 = .success(value) }
        } catch {
          outcome.withLock { $0 = .failure(error) }
        }
        done.signal()
      }
      work.task = task
      if work.isCancelled { task.cancel() }
    }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the work signalled without an outcome") }
    return try result.get()
  }

  func cancel() {
    work.withLock { work in
      work.isCancelled = true
      work.task?.cancel()
    }
  }
}
