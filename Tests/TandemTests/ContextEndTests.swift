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

  /// An insert into another context did nothing, and its save wrote nothing, without a word.
  @Test func `a new object that outlives its context can be inserted into another one`() async throws {
    try await withContainer(for: Office.types) { container in
      var former: ModelContext? = ModelContext(container)
      let (team, worker, charter) = (
        Office.Team(name: "team"), Office.Worker(name: "worker"),
        Office.Charter(name: "charter", deed: Office.Deed(name: "deed"))
      )
      former?.insert(team)
      former?.insert(charter)
      team.members = [worker]
      former = nil
      let context = ModelContext(container)
      context.insert(team)
      context.insert(charter)
      // By a link, too.
      team.members.append(worker)
      #expect(team.modelContext === context && worker.modelContext === context && worker.team === team)
      try context.save()
      team.name = "later"
      try context.save()
      let other = ModelContext(container)
      let teams = try other.fetch(FetchDescriptor<Office.Team>())
      #expect(teams.map(\.name) == ["later"] && teams.first?.members.map(\.name) == ["worker"])
      #expect(try other.fetch(FetchDescriptor<Office.Charter>()).map(\.deed.name) == ["deed"])
    }
  }

  @Test func `many new objects that outlive their context are inserted with their values`() async throws {
    try await withContainer(for: [Everything.self]) { container in
      var former: ModelContext? = ModelContext(container)
      let objects = (0..<2_000).map { number in
        let object = Everything()
        object.int = number
        return object
      }
      for object in objects { former?.insert(object) }
      former = nil
      let context = ModelContext(container)
      for object in objects { context.insert(object) }
      try context.save()
      let numbers = try ModelContext(container).fetch(FetchDescriptor<Everything>()).map(\.int)
      #expect(numbers.sorted() == Array(0..<2_000))
    }
  }

  @Test func `a stored object whose context has ended is refused with what to do instead`() async throws {
    try await withContainer(for: Office.types) { container in
      var former: ModelContext? = ModelContext(container)
      let worker = Office.Worker(name: "worker")
      former?.insert(worker)
      try former?.save()
      former = nil
      let context = ModelContext(container)
      context.insert(worker)
      expectError(.objectOfAnotherContext) { try context.save() }
      let found = try #require(context.model(for: worker.persistentModelID) as? Office.Worker)
      #expect(found.name == "worker" && found.modelContext === context)
    }
  }
}
