import Foundation
import RecordStore
import Tandem
import Testing

/// What a context leaves behind that goes with changes nobody saved.
struct ContextEndTests {
  private final class Held {
    weak var store: RecordStore?
  }

  /// Objects that are linked with each other, or steps that undo them, kept themselves and so the store.
  @Test(arguments: ["inserted", "linked", "deleted", "dropped", "forgotten", "undoable"])
  func `a store closes when its container and contexts go, whatever these have not saved`(_ form: String) async throws {
    let held = Held()
    try await withContainer(for: Office.types) { container in
      held.store = container.store
      let context = ModelContext(container)
      if form == "undoable" { context.undoManager = UndoManager() }
      let worker = Office.Worker(name: "worker")
      context.insert(worker)
      try context.save()
      switch form {
      case "linked": worker.colleagues = [worker]
      case "deleted":
        worker.colleagues = [worker]
        context.delete(worker)
      case "inserted": context.insert(Office.Charter(name: "charter", deed: Office.Deed(name: "deed")))
      case "dropped", "forgotten":
        let charter = Office.Charter(name: "charter", deed: Office.Deed(name: "deed"))
        context.insert(charter)
        context.delete(charter)
        if form == "forgotten" { try context.save() }
      default:
        worker.mark = 1
        try context.save()
        #expect(context.undoManager?.canUndo == true)
      }
    }
    #expect(held.store == nil)
  }

  @Test func `an object that outlives its context keeps its values and the links that are stored`() async throws {
    try await withContainer(for: Office.types) { container in
      var context: ModelContext? = ModelContext(container)
      let (team, worker, other) = (
        Office.Team(name: "team"), Office.Worker(name: "worker"), Office.Worker(name: "other")
      )
      context?.insert(team)
      context?.insert(other)
      team.members = [worker]
      try context?.save()
      team.members = [worker, other]
      other.name = "unsaved"
      let charter = Office.Charter(name: "charter", deed: Office.Deed(name: "deed"))
      context?.insert(charter)
      context = nil
      #expect(team.members.map(\.name) == ["worker"] && worker.team?.name == "team")
      #expect(other.name == "unsaved" && other.team == nil)
      #expect(charter.deed.name == "deed" && charter.deed.charter == nil)
    }
  }
}
