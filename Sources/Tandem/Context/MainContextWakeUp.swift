import RecordStore
import Synchronization

/// Lets the main context take in commits by itself, so that observed objects change without a fetch.
final class MainContextWakeUp: Sendable {
  private let isNeeded = Atomic<Bool>(false)
  /// Set together with the visit's place in the main actor's queue: while it is set, the visit stands there.
  private let isScheduled = Mutex(false)

  /// The notice comes on the store's own thread.
  func observe(_ store: RecordStore, _ core: ContainerCore) -> CommitObservation {
    isNeeded.store(true, ordering: .releasing)
    return store.observeCommits { [weak core] _ in core.map(self.schedule) }
  }

  /// One visit to the main actor serves all commits until then. A save asks for it before it returns: code that waits
  /// on the main actor for another actor's save goes on after the visit.
  func schedule(_ core: ContainerCore) {
    guard isNeeded.load(ordering: .acquiring) else { return }
    isScheduled.withLock { isScheduled in
      guard !isScheduled else { return }
      isScheduled = true
      Task { @MainActor [weak core] in
        self.isScheduled.withLock { $0 = false }
        core?.mainContext?.processPendingChanges()
      }
    }
  }
}
