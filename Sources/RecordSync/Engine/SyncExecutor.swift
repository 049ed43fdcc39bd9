import Dispatch

/// A serial queue of its own for work that waits for the disk and for the writer lock, which must not be done on
/// Swift's shared threads.
final class SyncExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "tandem.sync")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
