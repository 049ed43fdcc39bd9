import Foundation
import LMDB
import Synchronization

/// The one thread of this process that writes to a store.
///
/// LMDB's writer lock belongs to a thread, and another process may hold it, so neither the caller's thread
/// nor one of Swift's shared threads may wait for it. Callers queue jobs and wait for them here.
///
/// Jobs that wait together share one LMDB commit and so one flush: each runs in a nested transaction, and
/// one that throws is undone without touching the others.
final class WriterThread: Sendable {
  /// One caller's write. The closure may run several times; its last outcome counts.
  struct Job: Sendable {
    let timeoutSeconds: Double
    /// Returns the layout that holds afterwards.
    let body: @Sendable (borrowing WriteTransaction, StoreLayout) throws -> StoreLayout
    let finish: @Sendable ((any Error)?) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var isStopping = false
  }

  /// What the thread owns, so that it does not keep its owner alive.
  private final class Loop: Sendable {
    let state = Mutex(State())
    let wake = DispatchSemaphore(value: 0)
    let perform: @Sendable ([Job]) -> Bool
    let rest: @Sendable () -> Void

    init(perform: @escaping @Sendable ([Job]) -> Bool, rest: @escaping @Sendable () -> Void) {
      self.perform = perform
      self.rest = rest
    }

    func run() {
      var mustRest = false
      while true {
        if mustRest, wake.wait(timeout: .now() + WriterThread.restAfterSeconds) == .timedOut {
          mustRest = false
          rest()
          continue
        }
        if !mustRest { wake.wait() }
        let (jobs, isStopping) = state.withLock { state in
          defer { state.jobs.removeAll() }
          return (state.jobs, state.isStopping)
        }
        if !jobs.isEmpty { mustRest = perform(jobs) } else if isStopping { return }
      }
    }
  }

  /// Saves that follow each other faster share what a rest costs; it is short, since a data file grows meanwhile.
  private static let restAfterSeconds = 0.1

  private let loop: Loop

  /// `perform` carries out jobs on the thread, finishes each, and says whether to call `rest` when no other job comes.
  init(
    name: String, perform: @escaping @Sendable ([Job]) -> Bool, rest: @escaping @Sendable () -> Void
  ) {
    loop = Loop(perform: perform, rest: rest)
    let thread = Thread { [loop] in loop.run() }
    thread.name = "writer of \(name)"
    // Deep rules recurse along chains of references.
    thread.stackSize = 8 << 20
    thread.start()
  }

  deinit {
    loop.state.withLock { $0.isStopping = true }
    loop.wake.signal()
  }

  /// Runs `body` on the thread and returns what it made of its last run. Blocks the caller until the commit is
  /// on the device.
  func perform<Value: Sendable>(
    timeoutSeconds: Double,
    _ body: @escaping @Sendable (borrowing WriteTransaction, StoreLayout) throws -> (Value, StoreLayout)
  ) throws -> Value {
    let outcome = Outcome<Value>()
    let job = Job(timeoutSeconds: timeoutSeconds) { transaction, layout throws in
      let (value, next) = try body(transaction, layout)
      outcome.value.withLock { $0 = value }
      return next
    } finish: { error in
      outcome.error.withLock { $0 = error }
      outcome.isDone.signal()
    }
    loop.state.withLock { $0.jobs.append(job) }
    loop.wake.signal()
    outcome.isDone.wait()
    if let error = outcome.error.withLock({ $0 }) { throw error }
    guard let value = outcome.value.withLock({ $0 }) else {
      preconditionFailure("a job that ended without an error has left its value")
    }
    return value
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
    let error = Mutex<(any Error)?>(nil)
    let isDone = DispatchSemaphore(value: 0)
  }
}
