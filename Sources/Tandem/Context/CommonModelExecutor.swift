import Dispatch

/// Runs the actors whose ``ModelExecutor`` is no ``SerialModelExecutor``, and so cannot run an actor itself: all of
/// them one after the other, on one queue.
final class CommonModelExecutor: SerialExecutor {
  static let shared = CommonModelExecutor()
  private let queue = DispatchQueue(label: "tandem.model-actors")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
