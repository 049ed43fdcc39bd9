import RecordSync
import Synchronization

/// The progress line of a synchronisation, whose events come from its own thread.
final class SyncProgress: Sendable {
  private struct State: ~Copyable {
    // Touched only under the lock.
    var line = Progress("sync")
    var merged: UInt64 = 0
    var exported = 0
  }
  private let state = Mutex(State())

  func show(_ event: SyncEvent, of place: DeviceDirectory.Place) {
    state.withLock { state in
      switch event {
      case .exported: state.exported += 1
      case .merged(_, let number, _): state.merged = number
      case .refused: break
      }
      state.line.update("\(place), \(state.exported) files exported, merged up to \(state.merged)")
    }
  }

  func finish() { state.withLock { $0.line.finish() } }
}
