public import Foundation
import RecordStore

// A main context saves by itself. The order of events: the first change arranges a visit at the main actor's next turn
// and enters the context among those that the end of the process saves; further changes until then find that done and
// cost nothing. The visit saves all that is pending, if anything is.

extension ModelContext {
  /// Posted when a main context could not save by itself; the object is the context, and the error stands in the user
  /// info under `"error"`. The changes are still pending.
  public static let didFailToAutosave = Notification.Name("ModelContext.didFailToAutosave")

  /// Whether a visit at the main actor's next turn is wanted, or on its way.
  enum Autosave {
    case off
    /// The next change arranges the visit.
    case awaiting
    case scheduled
  }

  /// The state that a context starts with: a main context saves by itself where it may save anything at all.
  static func initialAutosave(isMain: Bool, _ core: ContainerCore) -> Autosave {
    isMain && core.allowsSave ? .awaiting : .off
  }

  /// Saves at the main actor's next turn, if the context saves by itself and nobody arranged that yet.
  func scheduleAutosave() {
    guard link.autosave == .awaiting else { return }
    link.autosave = .scheduled
    if core.outlivesProcess, !saving.isKnownUnsaved {
      saving.isKnownUnsaved = true
      UnsavedContexts.shared.enter(core)
    }
    guard !saving.isVisitScheduled else { return }
    saving.isVisitScheduled = true
    Task { @MainActor [weak core] in core?.mainContext?.autosave() }
  }

  /// Something that no save may divide has ended: whatever it left is saved as other changes are.
  func resumeAutosave() {
    if !pendingLists.isEmpty { scheduleAutosave() }
  }

  private func autosave() {
    saving.isVisitScheduled = false
    guard link.autosave == .scheduled else { return }
    link.autosave = .awaiting
    saveAtEnd()
  }

  /// Saves what is pending, unless the context does not save by itself, or is in the midst of something that is saved
  /// as a whole or not at all.
  func saveAtEnd() {
    let isDivisible = saving.transactionDepth == 0 && !saving.isInOnceTransaction && !saving.isSaving && pins.isEmpty
    guard link.autosave != .off, isDivisible else { return }
    guard saveByItself() else { return }
    noteNoChanges()
    // An observer of the save may have changed objects since.
    if core.stores.contains(where: { $0.configuration.allowsSave && part(in: $0).isLive }) { scheduleAutosave() }
  }

  /// Neither a visit nor the end of the process has anything to save here; the next change tells them again.
  func noteNoChanges() {
    if link.autosave == .scheduled { link.autosave = .awaiting }
    guard saving.isKnownUnsaved else { return }
    saving.isKnownUnsaved = false
    UnsavedContexts.shared.leave(core)
  }

  /// Saves what a context that went away has left. Nobody can try it again.
  func saveForGood() {
    link.autosave = .off
    link.pass(to: self)
    guard !saveByItself(), let error = noted else { return }
    core.note(error)
  }

  /// Whether nothing is left that can be saved. A store that is open for reading keeps its changes pending, as nobody
  /// asked to save them.
  private func saveByItself() -> Bool {
    let stores = core.stores.filter { $0.configuration.allowsSave && !part(in: $0).isEmpty }
    guard !stores.isEmpty else { return true }
    do {
      try saveChanges(in: stores)
      return true
    } catch let error as SwiftDataError where error.code == .recordNotFound && letGoOfDeleted() {
      return saveByItself()
    } catch {
      note(error)
      NotificationCenter.default.post(name: Self.didFailToAutosave, object: self, userInfo: ["error": error])
      Log.error("a main context could not save by itself, and keeps its changes: \(error)")
      return false
    }
  }

  /// Takes in what others deleted since the last look; whether that concerned anything that is pending. Nobody asked
  /// for the save, so nobody need hear that what was changed here is gone.
  private func letGoOfDeleted() -> Bool {
    // An observer may look, and insert or change others meanwhile.
    let before = pendingLists.liveChanged + pendingLists.liveDeleted
    takeInOthers()
    return before.contains { $0._$storage.flags.contains(.gone) }
  }
}
