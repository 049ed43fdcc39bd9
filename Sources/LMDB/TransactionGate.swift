import CLMDB

/// Admits transactions and stops them while the memory map changes, which LMDB allows only when the
/// process has no transaction open.
// @unchecked: the monitor guards all mutable members.
final class TransactionGate: @unchecked Sendable {
  private let monitor = Monitor()
  /// The threads that run a transaction now, once for each. Few, so a search is cheap.
  private var inside: [pthread_t] = []
  private var writer: pthread_t?
  private var isClosed = false

  // MARK: Transactions

  func enter() {
    monitor.lock()
    // A thread that is already inside passes: whoever closed the gate waits for it.
    while isClosed, !callerIsInside { monitor.wait() }
    inside.append(pthread_self())
    monitor.unlock()
  }

  /// On the thread that entered.
  func leave() {
    monitor.lock()
    removeCaller()
    monitor.unlock()
  }

  func enterWriter() {
    enter()
    monitor.withLock { writer = pthread_self() }
  }

  func leaveWriter() {
    monitor.withLock {
      writer = nil
      removeCaller()
    }
  }

  /// Whether the calling thread runs the write transaction.
  var callerIsWriter: Bool {
    monitor.withLock { writer.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  private var callerIndex: Int? {
    let caller = pthread_self()
    return inside.lastIndex { pthread_equal($0, caller) != 0 }
  }

  private var callerIsInside: Bool { callerIndex != nil }

  private func removeCaller() {
    guard let index = callerIndex else {
      preconditionFailure("a transaction ended on another thread than it began on")
    }
    inside.swapAt(index, inside.count - 1)
    inside.removeLast()
    if isClosed, inside.isEmpty { monitor.wakeAll() }
  }

  // MARK: Changing the map

  /// Runs `change` while no transaction runs. False, without running it, when the calling thread
  /// itself is inside a transaction: waiting for that would never end.
  func whileEmpty(_ change: () throws -> Void) rethrows -> Bool {
    guard close() else { return false }
    defer { open() }
    try change()
    return true
  }

  private func close() -> Bool {
    monitor.withLock {
      if callerIsInside { return false }
      while isClosed { monitor.wait() }
      isClosed = true
      while !inside.isEmpty { monitor.wait() }
      return true
    }
  }

  private func open() {
    monitor.withLock {
      isClosed = false
      monitor.wakeAll()
    }
  }
}
