import Synchronization

/// Ends an engine's run that is under way, besides the cancellation of its task. Safe to use from any thread.
final class CancellationRequest: Sendable {
  @TaskLocal static var current: CancellationRequest?

  private let isMade = Atomic<Bool>(false)

  func make() { isMade.store(true, ordering: .relaxed) }

  /// Throws `CancellationError` where the task or the run around it was cancelled.
  static func check() throws {
    try Task.checkCancellation()
    if let current, current.isMade.load(ordering: .relaxed) { throw CancellationError() }
  }

  /// Lends a check to another thread, for which this task waits until `body` returns.
  static func lendingCheck<Result>(
    _ body: (_ check: @escaping @Sendable () throws -> Void) throws -> Result
  ) rethrows -> Result {
    let request = current
    return try withUnsafeCurrentTask { task in
      let lent = LentTask(task: task)
      return try body {
        if lent.task?.isCancelled ?? false { throw CancellationError() }
        if let request, request.isMade.load(ordering: .relaxed) { throw CancellationError() }
      }
    }
  }
}

// @unchecked: the task waits as long as it is lent, and any thread may ask whether it is cancelled.
private struct LentTask: @unchecked Sendable {
  let task: UnsafeCurrentTask?
}
