import Synchronization

/// Wakes one task that waits: for a commit of any process, for a time, or for its own end.
final class Bell: Sendable {
  private struct State {
    var hasRung = false
    var sleeper: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Wakes the sleeper, or lets the next one not fall asleep.
  func ring() {
    let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state.sleeper = nil }
      if state.sleeper == nil { state.hasRung = true }
      return state.sleeper
    }
    sleeper?.resume()
  }

  /// Returns after a ring since the last return, after `duration`, or when the task is cancelled. One task at a time.
  func wait(atMost duration: Duration?) async {
    let timer = duration.map { duration in
      Task { [self] in
        // Only cancellation ends the sleep early, and then nobody waits any more.
        guard (try? await Task.sleep(for: duration)) != nil else { return }
        ring()
      }
    }
    defer { timer?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isAwake = state.withLock { state in
          if state.hasRung || Task.isCancelled {
            state.hasRung = false
            return true
          }
          state.sleeper = continuation
          return false
        }
        if isAwake { continuation.resume() }
      }
    } onCancel: {
      ring()
    }
  }
}
