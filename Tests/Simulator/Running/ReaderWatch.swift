import RecordStore
import Synchronization

/// A reader that looks on while a replica works, and keeps what it saw.
final class ReaderWatch: Sendable {
  private struct State {
    var isOver = false
    var views: Set<StoreView> = []
  }
  let replica: String
  private let state = Mutex(State())
  private let task = Mutex<Task<Void, Never>?>(nil)

  init(_ replica: String, _ store: RecordStore) {
    self.replica = replica
    task.withLock { task in task = Task.detached { [weak self] in await self?.watch(store) } }
  }

  private func watch(_ store: RecordStore) async {
    while !state.withLock(\.isOver) {
      // A store that cannot be read is found by the run itself, which reads it after each step.
      guard let view = try? StoreView.read(store) else { return }
      state.withLock { _ = $0.views.insert(view) }
      await Task.yield()
    }
  }

  /// Ends the watch; each different view once.
  func views() async -> Set<StoreView> {
    state.withLock { $0.isOver = true }
    await task.withLock(\.self)?.value
    return state.withLock(\.views)
  }
}
