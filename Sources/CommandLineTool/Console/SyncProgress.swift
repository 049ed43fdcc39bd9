import RecordSync
import Synchronization

/// The progress line of a synchronisation, whose events come from its own thread.
final class SyncProgress: Sendable {
  private struct State: ~Copyable {
    // Touched only under the lock.
    var line = Progress("sync")
    var text = SyncProgressText()
  }
  private let state = Mutex(State())

  func show(_ event: SyncEvent, of place: DeviceDirectory.Place) {
    state.withLock { state in
      if let text = state.text.note(event, of: place) { state.line.update(text) }
    }
  }

  /// Bytes that a transport has moved.
  func show(moved: Int, of total: Int) {
    guard total > 0 else { return }
    state.withLock { $0.line.update("\(moved / 1024) of \(total / 1024) KiB moved") }
  }

  func finish() { state.withLock { $0.line.finish() } }
}
