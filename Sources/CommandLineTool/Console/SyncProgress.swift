import RecordSync
import Synchronization

/// The progress line of a synchronisation, whose events come from its own thread.
final class SyncProgress: Sendable {
  private struct State: ~Copyable {
    // Touched only under the lock.
    var line = Progress("sync")
    var merged: (reached: UInt64, last: UInt64)?
    var exported = 0
  }
  private let state = Mutex(State())

  func show(_ event: SyncEvent, of place: DeviceDirectory.Place) {
    state.withLock { state in
      switch event {
      case .exported: state.exported += 1
      case .merged(_, let number, let last): state.merged = (number, last)
      case .refused, .began, .ended, .stopped: return
      }
      let merged = state.merged.map { ", merged \($0.reached) of \($0.last)" } ?? ""
      state.line.update("\(place), \(DisplayText.count(state.exported, "file")) exported\(merged)")
    }
  }

  /// Bytes that a transport has moved.
  func show(moved: Int, of total: Int) {
    guard total > 0 else { return }
    state.withLock { $0.line.update("\(moved / 1024) of \(total / 1024) KiB moved") }
  }

  func finish() { state.withLock { $0.line.finish() } }
}
