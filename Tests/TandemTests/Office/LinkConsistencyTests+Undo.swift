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

  /// What entered the context by a link had gone before the link was undone, so that nobody knew it for the redo.
  @Test func `a redo links again what entered by a link without an inverse`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (owner, project) = (firm("firm"), Office.Project(name: "project"))
      context.insert(owner)
      context.insert(project)
      try context.save()
      project.badges = [Office.Badge(name: "badge")]
      owner.archive = Office.Archive(name: "new")
      for _ in 0..<3 {
        manager.undo()
        #expect(project.badges.isEmpty && owner.archive.name == "of firm")
        manager.redo()
        #expect(project.badges.map(\.name) == ["badge"] && owner.archive.name == "new")
      }
      try expectSame(context)
    }
  }

  /// It goes along with the delete again, as before the step that is undone.
  @Test func `an undo gives a deleted object back what another one took from it`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let deed = Office.Deed(name: "deed")
      let first = Office.Charter(name: "first", deed: deed)
      let second = Office.Charter(name: "second", deed: Office.Deed(name: "of the second"))
      context.insert(first)
      context.insert(second)
      try context.save()
      context.delete(first)
      manager.group { second.deed = deed }
      manager.undo()
      #expect(try context.fetch(FetchDescriptor<Office.Deed>()).map(\.name) == ["of the second"])
      try expectSame(context)
    }
  }

  @Test func `an undone delete of a new object brings back the link of its owner that it does not know`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (project, badge) = (Office.Project(name: "project"), Office.Badge(name: "badge"))
      project.badges = [badge]
      context.insert(project)
      manager.group { context.delete(badge) }
      manager.undo()
      #expect(project.badges == [badge])
      try expectSame(context)
    }
  }

  @Test func `an undo gives an object back to the owner that it does not know`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (first, second) = (Office.Project(name: "first"), Office.Project(name: "second"))
      let badge = Office.Badge(name: "badge")
      first.badges = [badge]
      context.insert(first)
      context.insert(second)
      manager.group { second.badges = [badge] }
      manager.undo()
      #expect(first.badges == [badge] && second.badges.isEmpty)
      try expectSame(context)
    }
  }

  /// The undo brought in what the initialiser had linked, which never was in the context.
  @Test func `an undo takes out what entered by a link, and brings nothing in`() async throws {
    try await withOffice { context in
      context.undoManager = UndoManager()
      let archive = Office.Archive(name: "archive")
      context.insert(archive)
      try context.save()
      firm("new").archive = archive
      #expect(try context.fetchCount(FetchDescriptor<Office.Firm>()) == 1)
      context.undoManager?.undo()
      #expect(try context.fetch(FetchDescriptor<Office.Archive>()) == [archive])
      #expect(!context.hasChanges)
    }
  }

  @Test func `an undo refers again to a new object whose delete is undone next`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (team, worker) = (Office.NightTeam(name: "team"), Office.Worker(name: "worker"))
      team.guardian = worker
      context.insert(team)
      manager.group { context.delete(worker) }
      manager.group { team.guardian = nil }
      manager.undo()
      manager.undo()
      #expect(team.guardian === worker)
      try expectSame(context)
    }
  }

  /// The link to a deleted object was not brought back, though its delete is undone next.
  @Test func `undone deletes of both sides bring the link between them back`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let deed = Office.Deed(name: "deed")
      context.insert(deed)
      try context.save()
      let charter = Office.Charter(name: "charter", deed: deed)
      context.insert(charter)
      manager.group { context.delete(deed) }
      manager.group { context.delete(charter) }
      manager.undo()
      #expect(deed.isDeleted)
      manager.undo()
      #expect(charter.deed === deed && deed.charter === charter)
      try expectSame(context)
    }
  }

  @Test func `an undo leaves an object again without what another one took from it`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (first, second) = (Office.Worker(name: "first"), Office.Worker(name: "second"))
      let desk = Office.Desk(name: "desk", worker: first)
      context.insert(desk)
      context.insert(second)
      context.insert(Office.Desk(name: "other", worker: first))
      manager.group { desk.worker = second }
      manager.undo()
      #expect(second.desk == nil && first.desk?.name == "other")
      manager.redo()
      try expectSame(context)
      #expect(second.desk === desk)
    }
  }

  /// The list was read anew with the object in it, which was entered once more and then taken out.
  @Test func `an undo gives an object its team back after the lists were read anew`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (worker, team, project) = (Office.Worker(name: "w"), Office.Team(name: "t"), Office.Project(name: "p"))
      worker.team = team
      context.insert(worker)
      context.insert(project)
      try context.save()
      let steps: [() -> Void] = [
        { context.delete(team) }, { worker.team = nil }, { context.insert(Office.Badge(name: "badge")) },
      ]
      for step in steps {
        manager.group { step() }
      }
      manager.undo()
      manager.redo()
      for _ in steps { manager.undo() }
      #expect(worker.team === team && team.members == [worker])
      try expectSame(context)
    }
  }

  @Test func `an undo gives an object its place before one whose delete is undone next`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (first, second) = (Office.Team(name: "first"), Office.Team(name: "second"))
      let workers = ["a", "b"].map { Office.Worker(name: $0) }
      first.members = workers
      context.insert(first)
      context.insert(second)
      try context.save()
      manager.group { context.delete(workers[1]) }
      manager.group { second.members = [workers[0]] }
      manager.undo()
      manager.undo()
      #expect(first.members == workers)
      try expectSame(context)
    }
  }

  @Test func `an undone delete of a new object gives it its place in an ordered array back`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (team, workers) = (Office.Team(name: "team"), ["a", "b"].map { Office.Worker(name: $0) })
      team.members = workers
      context.insert(team)
      manager.group { context.delete(workers[0]) }
      manager.undo()
      #expect(team.members == workers)
      try expectSame(context)
    }
  }

  /// The archive had left when the firm was deleted, so the undo of the firm's delete did not know of it.
  @Test func `undone deletes bring back the link to a new object that does not know of it`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let owner = firm("firm")
      let archive = owner.archive
      context.insert(owner)
      manager.group { context.delete(archive) }
      manager.group { context.delete(owner) }
      manager.undo()
      manager.undo()
      #expect(owner.archive === archive)
      try expectSame(context)
    }
  }

  @Test func `an undo takes back what was set in a deleted object`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let worker = Office.Worker(name: "worker")
      context.insert(worker)
      try context.save()
      manager.group { context.delete(worker) }
      manager.group { worker.name = "renamed" }
      manager.undo()
      manager.undo()
      #expect(worker.name == "worker")
      try expectSame(context)
    }
  }

  /// The undo brought the link along that the object got after it had left, and the new team with it.
  @Test func `an undone delete gives an object the links that it had, whatever it was linked to since`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let worker = Office.Worker(name: "worker")
      context.insert(worker)
      manager.group { context.delete(worker) }
      worker.team = Office.Team(name: "team")
      manager.undo()
      #expect(worker.team == nil)
      #expect(try context.fetchCount(FetchDescriptor<Office.Team>()) == 0)
      try expectSame(context)
    }
  }

  @Test func `an undone delete gives an object back to a list once, whatever it was linked to since`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (team, worker) = (Office.Team(name: "team"), Office.Worker(name: "worker"))
      team.members = [worker]
      context.insert(team)
      manager.group { context.delete(worker) }
      worker.team = Office.Team(name: "other")
      manager.undo()
      #expect(team.members == [worker])
      try expectSame(context)
    }
  }

  @Test func `an undo gives a partner back to an object whose delete is undone next`() async throws {
    try await withOffice { context in
      let manager = UndoManager()
      context.undoManager = manager
      let (first, second) = (Office.Deed(name: "first"), Office.Deed(name: "second"))
      let charter = Office.Charter(name: "charter", deed: first)
      context.insert(charter)
      context.insert(second)
      try context.save()
      let steps: [() -> Void] = [
        { second.charter = charter }, { context.delete(second) }, { first.charter = charter },
      ]
      for step in steps {
        manager.group { step() }
        _ = try context.fetch(FetchDescriptor<Office.Charter>())
      }
      manager.undo()
      manager.undo()
      #expect(charter.deed === second && second.charter === charter)
      try expectSame(context)
    }
  }
}

extension UndoManager {
  /// What is undone by one call.
  fileprivate func group(_ body: () -> Void) {
    beginUndoGrouping()
    body()
    endUndoGrouping()
  }
}
