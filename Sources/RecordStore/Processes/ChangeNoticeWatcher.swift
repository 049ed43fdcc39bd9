package import Foundation
import Synchronization

/// Waits for change notices on a thread of its own and hands each new one on; several at once become one.
///
/// The file may be missing, be replaced or come later. A notice can be lost: its writer may be killed between the
/// commit and the notice. So once a second the file is looked at without a signal, and the store itself is asked how
/// far it has come. The watcher keeps nothing alive but the closure it was given: let that capture its owner weakly.
package final class ChangeNoticeWatcher: Sendable {
  /// How often the file is looked at although no signal came.
  package static let pollSeconds = 1.0

  private let loop: WatchLoop

  /// Commits from now on are reported, in order, on the watcher's thread.
  ///
  /// - Parameter transactionID: the id of the store's last LMDB transaction; asked on the watcher's thread, before the
  ///   notice, so that commits without one are found. While it is nil, each notice that differs from the one before
  ///   counts as a commit.
  package init(
    store directory: URL, transactionID: @escaping @Sendable () -> UInt64? = { nil },
    onNotice: @escaping @Sendable (ChangeNotice) -> Void
  ) throws {
    loop = try WatchLoop(
      path: ChangeNoticeFile.path(store: directory), transactionID: transactionID, onNotice: onNotice)
    let thread = Thread { [loop] in loop.run() }
    thread.name = "change notice"
    thread.start()
  }

  deinit { loop.stop() }

  /// When it returns, no call of the closure runs or will run, unless it is called from that closure itself.
  package func stop() { loop.stop() }
}

/// The state that the watcher's thread owns, so that the thread does not keep the watcher.
private final class WatchLoop: Sendable {
  private struct State {
    var isStopping = false
    var thread: Thread?
    var last: ChangeNotice?
    /// The newest transaction that is known here, from notices or from the store.
    var lastTransactionID: UInt64
  }

  private let path: String
  private let signal: any FileChangeSignal
  private let transactionID: @Sendable () -> UInt64?
  private let onNotice: @Sendable (ChangeNotice) -> Void
  private let state: Mutex<State>
  private let hasEnded = DispatchSemaphore(value: 0)

  init(
    path: String, transactionID: @escaping @Sendable () -> UInt64?,
    onNotice: @escaping @Sendable (ChangeNotice) -> Void
  ) throws {
    self.path = path
    self.transactionID = transactionID
    self.onNotice = onNotice
    signal = try makeFileChangeSignal(path: path)
    let last = ChangeNoticeFile.read(path: path)
    let lastTransactionID = max(last?.transactionID ?? 0, transactionID() ?? 0)
    state = Mutex(State(last: last, lastTransactionID: lastTransactionID))
  }

  func run() {
    state.withLock { $0.thread = Thread.current }
    while true {
      // Before the system calls that only the next wait needs: somebody waits for this.
      tellNews()
      signal.arm()
      // After that, for it takes the signal of `stop` away.
      if state.withLock(\.isStopping) { break }
      // A notice that came before the signal was armed gives none.
      tellNews()
      signal.wait(timeoutSeconds: ChangeNoticeWatcher.pollSeconds)
    }
    // The thread keeps its closure, and so this loop with its open files, as long as it lives itself.
    state.withLock { $0.thread = nil }
    hasEnded.signal()
  }

  private func tellNews() {
    guard !state.withLock(\.isStopping) else { return }
    // Asked before the file is read, as that takes no system call.
    let reached = transactionID()
    if let notice = unannounced(reached) ?? announced(besides: reached) { onNotice(notice) }
  }

  /// The notice of a commit that the store itself has.
  private func unannounced(_ reached: UInt64?) -> ChangeNotice? {
    state.withLock { state in
      guard let reached, reached > state.lastTransactionID else { return nil }
      state.lastTransactionID = reached
      return ChangeNotice(counter: state.last?.counter ?? 0, transactionID: reached)
    }
  }

  /// The notice in the file, if it says more than the store, or the store says nothing.
  private func announced(besides reached: UInt64?) -> ChangeNotice? {
    let current = ChangeNoticeFile.read(path: path)
    return state.withLock { state in
      guard let current, current != state.last else { return nil }
      state.last = current
      guard reached == nil || current.transactionID > state.lastTransactionID else { return nil }
      state.lastTransactionID = max(state.lastTransactionID, current.transactionID)
      return current
    }
  }

  func stop() {
    let isOwnThread = state.withLock { state in
      state.isStopping = true
      return state.thread === Thread.current
    }
    signal.wake()
    if isOwnThread { return }
    hasEnded.wait()
    // A second call that stops it finds it ended, too.
    hasEnded.signal()
  }
}
