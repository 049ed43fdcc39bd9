import CLMDB
import Synchronization

/// Admits transactions and stops them while the memory map changes, which LMDB allows only when the
/// process has no transaction open.
///
/// A pooled reader passes without a lock: it writes its thread into a seat, then looks whether the gate
/// is closed; the closing thread writes that first, then looks at the seats. Both in sequentially
/// consistent order, so at least one sees the other.
// @unchecked: the monitor guards all mutable members but the atomic one.
final class TransactionGate: @unchecked Sendable {
  private let pool = ReaderPool()
  private let monitor = Monitor()
  private let isClosed = Atomic(false)
  /// The threads that run a transaction without a seat of the pool, once for each.
  private var inside: [UInt] = []
  private var writer: UInt = 0
  /// Readers beyond the pool, and the memory of those that ended, for use again.
  private var spareReaders: [ReaderPool.Reader] = []

  deinit {
    for reader in spareReaders {
      reader.deinitialize(count: 1)
      reader.deallocate()
    }
  }

  // MARK: Readers

  func enterReader() -> ReaderPool.Reader {
    let thread = currentThread()
    while true {
      guard let seat = pool.take(for: thread) else { return enterSpareReader() }
      if !isClosed.load(ordering: .sequentiallyConsistent) { return seat }
      // A thread that is already inside passes: the closing thread waits for it.
      if pool.count(of: thread) > 1 || monitor.withLock({ inside.contains(thread) }) { return seat }
      free(seat)
      monitor.withLock { waitUntilOpen(thread) }
    }
  }

  /// On the thread that entered.
  func leaveReader(_ reader: ReaderPool.Reader) {
    if reader.pointee.isPooled {
      free(reader)
    } else {
      ReaderPool.discard(reader)
      monitor.withLock { spareReaders.append(reader) }
      leave()
    }
  }

  private func free(_ seat: ReaderPool.Reader) {
    seat.pointee.owner.store(0, ordering: .sequentiallyConsistent)
    if isClosed.load(ordering: .sequentiallyConsistent) { monitor.withLock { monitor.wakeAll() } }
  }

  private func enterSpareReader() -> ReaderPool.Reader {
    enter()
    if let spare = monitor.withLock({ spareReaders.popLast() }) { return spare }
    let reader = ReaderPool.Reader.allocate(capacity: 1)
    reader.initialize(to: TransactionState(isPooled: false))
    return reader
  }

  /// Ends all pooled transactions; nobody uses the environment any more.
  func discardReaders() { pool.discardAll() }

  // MARK: Other transactions

  func enter() {
    let thread = currentThread()
    monitor.lock()
    waitUntilOpen(thread)
    inside.append(thread)
    monitor.unlock()
  }

  /// On the thread that entered.
  func leave() {
    monitor.withLock { remove(currentThread()) }
  }

  func enterWriter() {
    enter()
    monitor.withLock { writer = currentThread() }
  }

  func leaveWriter() {
    monitor.withLock {
      writer = 0
      remove(currentThread())
    }
  }

  /// Whether the calling thread runs the write transaction.
  var callerIsWriter: Bool { monitor.withLock { writer == currentThread() } }

  private func remove(_ thread: UInt) {
    guard let index = inside.lastIndex(of: thread) else {
      preconditionFailure("a transaction ended on another thread than it began on")
    }
    inside.swapAt(index, inside.count - 1)
    inside.removeLast()
    if isClosed.load(ordering: .sequentiallyConsistent) { monitor.wakeAll() }
  }

  /// Under the lock.
  private func waitUntilOpen(_ thread: UInt) {
    while isClosed.load(ordering: .sequentiallyConsistent), !isInside(thread) { monitor.wait() }
  }

  /// Under the lock.
  private func isInside(_ thread: UInt) -> Bool { inside.contains(thread) || pool.count(of: thread) > 0 }

  // MARK: Changing the map

  /// Runs `change` while no transaction runs, unless another thread has made it meanwhile.
  ///
  /// `isMade` is asked while the map cannot change. Where it says so, nothing is waited for: a running transaction may
  /// take as long as it likes, and each thread that met the old map would wait for such a one in turn. False, without
  /// running `change`, when the calling thread itself is inside a transaction: waiting for that would never end.
  func whileEmpty(unless isMade: () -> Bool, _ change: () throws -> Void) rethrows -> Bool {
    switch close(unless: isMade) {
    case .callerIsInside: return false
    case .isMade: return true
    case .closed: break
    }
    defer { open() }
    try change()
    return true
  }

  private enum Closing { case closed, isMade, callerIsInside }

  private func close(unless isMade: () -> Bool) -> Closing {
    monitor.withLock {
      if isInside(currentThread()) { return .callerIsInside }
      while isClosed.load(ordering: .sequentiallyConsistent) { monitor.wait() }
      if isMade() { return .isMade }
      isClosed.store(true, ordering: .sequentiallyConsistent)
      while !inside.isEmpty || !pool.isIdle { monitor.wait() }
      return .closed
    }
  }

  private func open() {
    monitor.withLock {
      isClosed.store(false, ordering: .sequentiallyConsistent)
      monitor.wakeAll()
    }
  }
}
