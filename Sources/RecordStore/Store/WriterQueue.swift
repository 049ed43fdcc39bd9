import CThreads
import Foundation
import LMDB
import Synchronization

/// The writes of this process to a store, one after another.
///
/// A caller that finds no write going on writes on its own thread: two threads that wake each other take longer than
/// much of what a small save does. A caller that finds one leaves a job and waits. Jobs that wait go first, and
/// together: a thread of the queue's own carries them out as one LMDB commit, and so with one flush. One that throws is
/// undone without touching the others. ``WriteGathering`` decides whether a group waits for more.
///
/// LMDB's writer lock belongs to a thread, so each transaction ends on the thread that began it.
final class WriterQueue: Sendable {
  /// One caller's write. The closure may run several times; its last outcome counts.
  struct Job: Sendable {
    let timeoutSeconds: Double
    /// Returns the layout that holds afterwards.
    let body: @Sendable (borrowing WriteTransaction, StoreLayout) throws -> StoreLayout
    let finish: @Sendable ((any Error)?) -> Void
    /// Set where the job waits for another thread; most are carried out by the thread that made them.
    var isDone: DispatchSemaphore?
  }

  /// Deep rules recurse along chains of records.
  private static let stackBytes = 8 << 20

  private let loop: Loop

  /// `perform` carries out jobs on the thread that calls it, and finishes each.
  init(name: String, perform: @escaping @Sendable ([Job]) -> Void) {
    loop = Loop(perform: perform)
    let thread = Thread { [loop] in loop.run() }
    thread.name = "writer of \(name)"
    thread.stackSize = Self.stackBytes
    thread.start()
  }

  deinit { loop.stop() }

  /// Runs `body`, once or several times, and returns what it made of its last run. Blocks the caller until the commit
  /// is on the device.
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
    }
    // Half of what the queue's own thread has; all but threads that were made with a small stack have it.
    loop.carryOut(job, mayWrite: tandem_stack_room() >= Self.stackBytes / 2)
    if let error = outcome.error.withLock({ $0 }) { throw error }
    guard let value = outcome.value.withLock({ $0.take() }) else {
      preconditionFailure("a job that ended without an error has left its value")
    }
    return value
  }

  private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
    let error = Mutex<(any Error)?>(nil)
  }
}

/// The state that the queue's thread and its callers share, so that the thread does not keep its owner alive.
private final class Loop: Sendable {
  private struct State {
    var jobs: [WriterQueue.Job] = []
    var gathering = WriteGathering()
    /// Whether some thread writes.
    var isBusy = false
    /// When the write that goes on began, or was waited for first; zero while nobody shares it or waits, since reading
    /// a clock is dear beside the rest of this.
    var began: UInt64 = 0
    var isStopping = false
  }

  private enum Step {
    case write([WriterQueue.Job])
    case gather(until: UInt64)
    case sleep
    case stop
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let perform: @Sendable ([WriterQueue.Job]) -> Void

  init(perform: @escaping @Sendable ([WriterQueue.Job]) -> Void) { self.perform = perform }

  /// Carries out the job now if nobody writes, else leaves it to the queue's thread and waits.
  func carryOut(_ job: WriterQueue.Job, mayWrite: Bool) {
    var job = job
    let (isDone, wakes) = state.withLock { state -> (DispatchSemaphore?, Bool) in
      let isGathering =
        !state.isBusy && state.gathering.isExpecting && state.gathering.waits(with: 1, at: Self.now()) != nil
      if mayWrite, !state.isBusy, !isGathering, state.jobs.isEmpty {
        state.isBusy = true
        state.gathering.begin(with: 1)
        return (nil, false)
      }
      let isDone = DispatchSemaphore(value: 0)
      job.isDone = isDone
      state.jobs.append(job)
      if state.isBusy, state.began == 0 { state.began = Self.now() }
      // The thread that writes looks for jobs afterwards; one that gathers has no need of those between.
      let isOneMore = state.jobs.count > 1 && state.gathering.waits(with: state.jobs.count, at: 0) != nil
      return (isDone, !state.isBusy && !isOneMore)
    }
    guard let isDone else { return write([job]) }
    if wakes { wake.signal() }
    isDone.wait()
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    wake.signal()
  }

  /// The queue's thread.
  func run() {
    while true {
      switch next() {
      case .write(let jobs): write(jobs)
      case .gather(let deadline): _ = wake.wait(timeout: DispatchTime(uptimeNanoseconds: deadline))
      case .sleep: wake.wait()
      case .stop: return
      }
    }
  }

  private func next() -> Step {
    state.withLock { state in
      // Whichever thread writes wakes this one afterwards.
      if state.isBusy { return .sleep }
      if !state.jobs.isEmpty {
        if !state.isStopping, let deadline = state.gathering.waits(with: state.jobs.count, at: Self.now()) {
          return .gather(until: deadline)
        }
        defer { state.jobs.removeAll() }
        state.isBusy = true
        state.gathering.begin(with: state.jobs.count)
        if state.jobs.count > 1 { state.began = Self.now() }
        return .write(state.jobs)
      }
      return state.isStopping ? .stop : .sleep
    }
  }

  private func write(_ jobs: [WriterQueue.Job]) {
    perform(jobs)
    // Before the callers run: they must find whether the next commit waits for them.
    let wakes = state.withLock { state in
      state.isBusy = false
      if state.began > 0 {
        state.gathering.end(with: jobs.count, waiting: state.jobs.count, began: state.began, at: Self.now())
        state.began = 0
      }
      return !state.jobs.isEmpty || state.isStopping
    }
    for job in jobs { job.isDone?.signal() }
    if wakes { wake.signal() }
  }

  private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}
