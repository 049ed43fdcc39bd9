import Dispatch
import Synchronization

/// A value that another thread works out meanwhile, if one is free.
///
/// Runs inline if the work has not started when it is needed. So the thread that writes never waits for a thread that
/// may wait for the writer: it waits for one that is at work.
package final class SideWork<Value: Sendable>: Sendable {
  private enum State {
    case waiting
    case begun
    case done(Value)
    case taken
  }

  private let work: @Sendable () -> Value
  private let state = Mutex(State.waiting)
  private let isDone = DispatchSemaphore(value: 0)

  /// For work that is worth another thread; it takes some microseconds to wake one.
  convenience init(_ work: @escaping @Sendable () -> Value) {
    self.init(waiting: work)
    DispatchQueue.global(qos: .userInitiated).async { [self] in begin() }
  }

  private init(waiting work: @escaping @Sendable () -> Value) { self.work = work }

  /// The values of many works, in their order. Other threads begin with the first, this one with the last; where they
  /// meet it waits for those that are at work, and for none that has not begun.
  ///
  /// - Parameter threads: As many at most are at work, this one included.
  package static func values(of works: [@Sendable () -> Value], threads: Int) -> [Value] {
    let works = works.map { SideWork(waiting: $0) }
    for _ in 1..<max(threads, 1) {
      DispatchQueue.global(qos: .userInitiated).async { for work in works { work.begin() } }
    }
    for work in works.reversed() { work.begin() }
    return works.map { $0.value() }
  }

  /// The value, once: nothing is kept of it here. Blocks until it is there.
  func value() -> Value {
    if begin() == false { isDone.wait() }
    return state.withLock { state in
      guard case .done(let value) = state else { preconditionFailure("work that is done has left its value") }
      state = .taken
      return value
    }
  }

  /// False if somebody else has begun.
  @discardableResult
  private func begin() -> Bool {
    let isMine = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .begun
      return true
    }
    guard isMine else { return false }
    let value = work()
    state.withLock { $0 = .done(value) }
    isDone.signal()
    return true
  }
}
