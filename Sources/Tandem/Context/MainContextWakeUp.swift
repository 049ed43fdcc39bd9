import RecordStore
import Synchronization

/// Lets the main context take in commits by itself, so that observed objects change without a fetch.
enum MainContextWakeUp {
  /// The notice comes on the store's own thread; one visit to the main actor serves all that came until then.
  static func observe(_ store: RecordStore, _ core: ContainerCore) -> CommitObservation {
    let isScheduled = Flag()
    return store.observeCommits { [weak core] _ in
      guard isScheduled.raise() else { return }
      Task { @MainActor in
        isScheduled.lower()
        core?.mainContext?.processPendingChanges()
      }
    }
  }

  private final class Flag: Sendable {
    private let isRaised = Atomic<Bool>(false)
    /// Whether the flag was down.
    func raise() -> Bool { !isRaised.exchange(true, ordering: .acquiringAndReleasing) }
    func lower() { isRaised.store(false, ordering: .releasing) }
  }
}

extension ModelContext {
  /// Saves at the main actor's next turn, if the app asked for that.
  func scheduleAutosave() {
    guard autosaveEnabled, isMain, !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    Task { @MainActor [weak core] in core?.mainContext?.autosave() }
  }

  private func autosave() {
    isAutosaveScheduled = false
    guard autosaveEnabled else { return }
    // Nobody has heard of it yet; it stands against no change that came since.
    let earlier = noted
    noted = nil
    do {
      try save()
    } catch {
      note(error)
    }
    noted = earlier ?? noted
  }
}
