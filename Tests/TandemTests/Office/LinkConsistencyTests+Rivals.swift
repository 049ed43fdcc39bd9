import Foundation
import RecordStore
import Tandem
import Testing

// What two contexts change of the same objects.
extension LinkConsistencyTests {
  /// The object of another context.
  private func same<M: PersistentModel>(_ model: M, in context: ModelContext) throws -> M {
    try #require(context.model(for: model.persistentModelID) as? M)
  }

  /// What was taken away and linked again here counted as never touched.
  @Test func `a link that was taken and given back stands against another context that took it`() async throws {
    try await withOffice { context in
      let (project, contract) = (Office.Project(name: "p"), Office.Contract(name: "c", firm: firm("firm")))
      project.contracts = [contract]
      context.insert(project)
      try context.save()
      let other = ModelContext(context.container)
      try same(project, in: other).contracts = []
      try other.save()
      project.contracts = []
      project.contracts = [contract]
      try expectSame(context)
      #expect(project.contracts == [contract] && contract.projects == [project])
    }
  }

  @Test func `an object that was moved there and back stands against another context that moved it`() async throws {
    try await withOffice { context in
      let (first, second, third) = (firm("first"), firm("second"), firm("third"))
      let team = Office.Team(name: "team")
      first.teams = [team]
      for owner in [first, second, third] { context.insert(owner) }
      try context.save()
      let other = ModelContext(context.container)
      try same(third, in: other).teams = [same(team, in: other)]
      try other.save()
      team.firm = second
      first.teams = [team]
      try expectSame(context)
      #expect(first.teams == [team] && third.teams.isEmpty)
    }
  }

  @Test func `an owner that an object does not know keeps what was taken and given back here`() async throws {
    try await withOffice { context in
      let (first, second, badge) = try projectsAndBadgeOfFirst(context)
      let other = ModelContext(context.container)
      try same(second, in: other).badges = [same(badge, in: other)]
      try other.save()
      first.badges = []
      first.badges = [badge]
      try expectSame(context)
      #expect(first.badges == [badge] && second.badges.isEmpty)
    }
  }

  /// The list was read before another context moved the object on, and took it from its new owner.
  @Test func `taking an object out of a list leaves it to the owner that it has since`() async throws {
    try await withOffice { context in
      let (first, second) = (Office.Project(name: "first"), Office.Project(name: "second"))
      let badge = Office.Badge(name: "badge")
      context.insert(first)
      context.insert(second)
      context.insert(badge)
      try context.save()
      first.badges = [badge]
      try context.save()
      #expect(second.badges.isEmpty)
      let other = ModelContext(context.container)
      try same(second, in: other).badges = [same(badge, in: other)]
      try other.save()
      second.badges = [badge]
      first.badges = []
      try expectSame(context)
      #expect(second.badges == [badge])
    }
  }

  /// The member was in memory as it had been, and was left with the owner that gave it up.
  @Test func `an object that somebody else put into a list can be taken out of it`() async throws {
    try await withOffice { context in
      let worker = Office.Worker(name: "worker")
      context.insert(worker)
      try context.save()
      let other = ModelContext(context.container)
      let made = Office.Team(name: "team")
      made.members = [try same(worker, in: other)]
      other.insert(made)
      try other.save()
      let team = try same(made, in: context)
      #expect(team.members == [worker])
      team.members = []
      try expectSame(context)
      #expect(worker.team == nil)
    }
  }

  @Test func `an array is what it is set to, also if another context has changed it`() async throws {
    try await withOffice { context in
      let project = Office.Project(name: "project")
      project.badges = [Office.Badge(name: "badge")]
      context.insert(project)
      try context.save()
      let other = ModelContext(context.container)
      try same(project, in: other).badges = [Office.Badge(name: "other")]
      try other.save()
      project.badges = []
      #expect(project.badges.isEmpty)
      try expectSame(context)
      #expect(project.badges.isEmpty)
    }
  }

  /// The place that the list was read with was one of another list by then.
  @Test func `an object that comes back to an ordered list gets a place in it`() async throws {
    try await withOffice { context in
      let (first, second) = (Office.Team(name: "first"), Office.Team(name: "second"))
      let workers = ["a", "b", "c"].map { Office.Worker(name: $0) }
      first.members = [workers[0]]
      context.insert(first)
      context.insert(second)
      workers.forEach { context.insert($0) }
      try context.save()
      let other = ModelContext(context.container)
      try same(first, in: other).members = [same(workers[2], in: other), same(workers[0], in: other)]
      try other.save()
      second.members = [workers[2], workers[1], workers[0]]
      try context.save()
      first.members = [workers[0], workers[1]]
      try expectSame(context)
      #expect(first.members == [workers[0], workers[1]])
    }
  }

  /// The other desk was hidden, which nobody had asked for.
  @Test func `a partner is not taken from an object that cannot be without it`() async throws {
    try await withOffice { context in
      let worker = Office.Worker(name: "worker")
      context.insert(worker)
      try context.save()
      let desk = Office.Desk(name: "desk", worker: worker)
      context.insert(desk)
      let other = ModelContext(context.container)
      other.insert(Office.Desk(name: "other", worker: try same(worker, in: other)))
      try other.save()
      do {
        try context.save()
        Issue.record("the save took the worker of a desk")
      } catch let error as StoreError where error.code == .invalidRequest {
      }
      #expect(try ModelContext(context.container).fetch(FetchDescriptor<Office.Desk>()).map(\.name) == ["other"])
      desk.worker = Office.Worker(name: "another")
      try expectSame(context)
    }
  }

  /// The partner that was known here hid the one that another context linked meanwhile.
  @Test func `an object without a partner is without one that others linked, too`() async throws {
    try await withOffice { context in
      let owner = firm("firm")
      context.insert(owner)
      try context.save()
      owner.charter = Office.Charter(name: "charter", deed: Office.Deed(name: "deed"))
      let other = ModelContext(context.container)
      try same(owner, in: other).charter = Office.Charter(name: "rival", deed: Office.Deed(name: "of the rival"))
      try other.save()
      owner.charter = nil
      #expect(owner.charter == nil)
      try expectSame(context)
      #expect(owner.charter == nil)
    }
  }

  /// The deed kept its link to the charter, unseen, and its delete followed it.
  @Test func `a former partner goes alone, whatever the same save does with the later ones`() async throws {
    try await withOffice { context in
      let deeds = ["first", "second", "third", "fourth"].map { Office.Deed(name: $0) }
      let charter = Office.Charter(name: "charter", deed: deeds[0])
      context.insert(charter)
      try context.save()
      charter.deed = deeds[1]
      try expectSame(context)
      charter.deed = deeds[2]
      context.delete(deeds[0])
      try expectSame(context)
      context.delete(deeds[1])
      charter.deed = deeds[3]
      try expectSame(context)
      context.delete(deeds[2])
      try expectSame(context)
      #expect(try context.fetch(FetchDescriptor<Office.Charter>()) == [charter])
      #expect(try context.fetch(FetchDescriptor<Office.Deed>()) == [deeds[3]])
    }
  }

  /// The badge came back to the rules behind all changes, and its other team with it: that was never written.
  @Test func `what an object links after its delete goes with it, and not the others that link it`() async throws {
    try await withOffice { context in
      let (owner, first) = (firm("firm"), Office.NightTeam(name: "first"))
      context.insert(owner)
      context.insert(first)
      owner.charter = Office.Charter(name: "charter", deed: Office.Deed(name: "deed"))
      try expectSame(context)
      // Takes the place of another one, whose link stays in the store, unseen.
      owner.charter = Office.Charter(name: "later", deed: Office.Deed(name: "later deed"))
      try expectSame(context)
      let (badge, second) = (Office.Badge(name: "badge"), Office.NightTeam(name: "second"))
      context.insert(badge)
      context.delete(first)
      context.insert(second)
      second.lamp = badge
      first.lamp = badge
      try expectSame(context)
      #expect(try context.fetch(FetchDescriptor<Office.NightTeam>()) == [second])
    }
  }

  @Test func `new objects go at once with the archive that the last of them needs`() async throws {
    for _ in 0..<20 {
      try await withOffice { context in
        let archive = Office.Archive(name: "archive")
        let (gone, owner) = (Office.Firm(name: "gone", archive: archive), firm("owner"))
        context.insert(archive)
        context.insert(gone)
        try context.save()
        let charter = Office.Charter(name: "charter", deed: Office.Deed(name: "deed"))
        charter.firm = owner
        context.insert(charter)
        owner.archive = archive
        context.delete(gone)
        try expectSame(context)
      }
    }
  }
}
