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
}
