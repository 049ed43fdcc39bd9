import Synchronization

/// The watches of an engine that go on. Safe to use from any thread.
final class RunningWatches: Sendable {
  private struct State {
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Returns the number by which the task is cancelled.
  func add(_ task: Task<Void, Never>) -> UInt64 {
    state.withLock { state in
      state.next += 1
      state.tasks[state.next] = task
      return state.next
    }
  }

  func cancel(_ number: UInt64) { state.withLock { $0.tasks.removeValue(forKey: number) }?.cancel() }

  func cancelAll() {
    let tasks = state.withLock { state in
      defer { state.tasks.removeAll() }
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
  }
}
