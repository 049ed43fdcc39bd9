import Foundation
import Tandem
import Testing

// What is undone and redone.
extension LinkConsistencyTests {
  @Test func `what an undo brings back after the save is in each array once`() async throws {
    try await withOffice { context in
      context.undoManager = UndoManager()
      let (owner, team, project) = (firm("firm"), Office.Team(name: "team"), Office.Project(name: "project"))
      owner.teams = [team]
      team.projects = [project]
      context.insert(owner)
      try context.save()
      context.delete(team)
      try context.save()
      context.undoManager?.undo()
      #expect(owner.teams == [team] && team.projects.count == 1)
      try expectSame(context)
    }
  }

  @Test func `an undo gives an object its place in an ordered array back`() async throws {
    try await withOffice { context in
      context.undoManager = UndoManager()
      let (first, second) = (Office.Team(name: "first"), Office.Team(name: "second"))
      let workers = ["a", "b", "c"].map { Office.Worker(name: $0) }
      first.members = workers
      context.insert(first)
      context.insert(second)
      try context.save()
      workers[0].team = second
      context.undoManager?.undo()
      #expect(first.members == workers)
      try context.save()
      second.members = [workers[1]]
      context.undoManager?.undo()
      #expect(first.members == workers)
      try expectSame(context)
    }
  }

  @Test func `what is inserted together comes back together, with its links, at each redo`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (worker, team) = (Office.Worker(name: "worker"), Office.Team(name: "team"))
      team.badge = Office.Badge(name: "badge")
      team.members = [worker]
      let folder = Office.Folder(name: "folder", owner: worker)
      context.insert(folder)
      context.insert(team)
      for _ in 0..<3 {
        manager.undo()
        #expect(!context.hasChanges)
        manager.redo()
        #expect(folder.owner === worker && worker.team === team && team.badge?.name == "badge")
        #expect(try context.fetchCount(FetchDescriptor<Office.Folder>()) == 1)
      }
      try expectSame(context)
    }
  }
}
