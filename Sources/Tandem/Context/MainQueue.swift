import Dispatch
import Synchronization

/// The main actor, seen by code that does not know on which thread it runs.
enum MainQueue {
  private static let mark = DispatchSpecificKey<Bool>()
  private static let isMarked: Bool = {
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return true
  }()

  /// Whether the caller is on the main actor: on the main thread, or on the thread that has its queue. After
  /// `dispatchMain()`, and in a program with an asynchronous `main`, that is not the main thread on Linux.
  static var isCurrent: Bool { isMarked && DispatchQueue.getSpecific(key: mark) == true }

  /// Runs `work` on the main actor and returns when it is done; false if the main actor did not come to it in time.
  static func run(withinSeconds limit: Double, _ work: @escaping @MainActor @Sendable () -> Void) -> Bool {
    if isCurrent {
      MainActor.assumeIsolated(work)
      return true
    }
    let turn = Turn()
    Task { @MainActor in
      guard turn.begin() else { return }
      work()
      turn.done.signal()
    }
    if turn.done.wait(timeout: .now() + limit) == .success { return true }
    if turn.begin() { return false }
    // It has begun, and is not to be cut.
    turn.done.wait()
    return true
  }

  /// Work that either side claims once: the main actor to do it, the waiting thread to give it up.
  private final class Turn: Sendable {
    let done = DispatchSemaphore(value: 0)
    private let isClaimed = Atomic<Bool>(false)

    func begin() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
  }
}
