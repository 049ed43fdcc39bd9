import Foundation
import RecordStore
import Tandem
import Testing

/// What random histories found, each as the few steps that show it.
struct LinkConsistencyTests {
  /// The context and a fresh one show the same, before and after the save.
  func expectSame(_ context: ModelContext, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let before = try OfficeView(context)
    #expect(before.halves == [], sourceLocation: sourceLocation)
    try context.save()
    let fresh = try OfficeView(ModelContext(context.container))
    #expect(before.differences(fresh) == [], sourceLocation: sourceLocation)
    #expect(try OfficeView(context).differences(fresh) == [], sourceLocation: sourceLocation)
  }

  func withOffice(_ body: (ModelContext) throws -> Void) async throws {
    try await withContainer(for: Office.types) { try body(ModelContext($0)) }
  }

  func firm(_ name: String) -> Office.Firm {
    Office.Firm(name: name, archive: Office.Archive(name: "of \(name)"))
  }

  /// Linking what the initialiser had set took the new link for one of somebody else.
  @Test func `a partner that was not inserted yet knows of its one-to-one link`() async throws {
    try await withOffice { context in
      let charter = Office.Charter(name: "charter", deed: Office.Deed(name: "first"))
      let deed = Office.Deed(name: "deed")
      context.insert(deed)
      deed.charter = charter
      #expect(charter.deed === deed)
      try expectSame(context)
    }
  }

  /// The link lies in the deed's record, so the store did not know that the charter cannot be without it.
  @Test func `an object goes with the partner that it cannot be without, wherever the link is stored`() async throws {
    try await withOffice { context in
      let deed = Office.Deed(name: "deed")
      context.insert(Office.Charter(name: "charter", deed: deed))
      try context.save()
      context.delete(deed)
      try expectSame(context)
      #expect(try context.fetchCount(FetchDescriptor<Office.Charter>()) == 0)
    }
  }

  /// The store went by the archive that the firm had before.
  @Test func `a deleted object does not take along what a new object took the place of`() async throws {
    try await withOffice { context in
      let (owner, archive) = (firm("firm"), Office.Archive(name: "new"))
      context.insert(owner)
      try context.save()
      owner.archive = archive
      context.delete(archive)
      context.delete(owner)
      try expectSame(context)
      #expect(try context.fetch(FetchDescriptor<Office.Archive>()).map(\.name) == ["of firm"])
    }
  }

  /// The team was held for gone with its firm, which went with its archive until it got another one.
  @Test func `what is set in an object is saved if what it would go along with stays`() async throws {
    try await withOffice { context in
      let (owner, team) = (firm("firm"), Office.Team(name: "team"))
      owner.teams = [team]
      context.insert(owner)
      try context.save()
      context.delete(owner.archive)
      owner.archive = Office.Archive(name: "new")
      team.mark = 1
      try expectSame(context)
      #expect(team.mark == 1)
    }
  }

  /// The team had left before the firm was deleted, and its badge was held for one that goes along.
  @Test func `an object that left before takes nothing along`() async throws {
    try await withOffice { context in
      let (owner, team, badge) = (firm("firm"), Office.Team(name: "team"), Office.Badge(name: "badge"))
      owner.teams = [team]
      context.insert(owner)
      context.insert(badge)
      try context.save()
      context.delete(team)
      try context.save()
      context.delete(owner)
      team.badge = badge
      #expect(try context.fetch(FetchDescriptor<Office.Badge>()) == [badge])
      try expectSame(context)
    }
  }

  func projectsAndBadgeOfFirst(_ context: ModelContext) throws -> (Office.Project, Office.Project, Office.Badge) {
    let (first, second) = (Office.Project(name: "first"), Office.Project(name: "second"))
    let badge = Office.Badge(name: "badge")
    first.badges = [badge]
    context.insert(first)
    context.insert(second)
    try context.save()
    return (first, second, badge)
  }

  @Test func `a rollback gives an owner that its objects do not know back what another one took`() async throws {
    try await withOffice { context in
      let (first, second, badge) = try projectsAndBadgeOfFirst(context)
      second.badges = [badge]
      #expect(first.badges.isEmpty)
      context.rollback()
      #expect(first.badges == [badge] && second.badges.isEmpty)
      try expectSame(context)
    }
  }

  @Test func `an array that was set before the insert holds each object once`() async throws {
    try await withOffice { context in
      let contract = Office.Contract(name: "contract", firm: firm("first"))
      let second = firm("second")
      second.contracts = [contract, contract]
      #expect(second.contracts == [contract])
      context.insert(second)
      #expect(second.contracts == [contract])
      try expectSame(context)
    }
  }

  /// The first object of the array was linked before the array was there, and joined no context.
  @Test func `all objects of an array enter the context that one of them belongs to`() async throws {
    try await withOffice { context in
      let (known, unknown) = (Office.Team(name: "known"), Office.Team(name: "unknown"))
      context.insert(known)
      firm("firm").teams = [unknown, known]
      #expect(unknown.modelContext === context)
      try expectSame(context)
    }
  }

  @Test func `what goes along takes what it was linked to in the same save`() async throws {
    try await withOffice { context in
      let (team, project, owner) = (Office.Team(name: "team"), Office.Project(name: "old"), firm("firm"))
      team.projects = [project]
      context.insert(team)
      context.insert(owner)
      try context.save()
      owner.teams = [team]
      team.projects = [Office.Project(name: "new")]
      context.delete(owner)
      try expectSame(context)
      #expect(try context.fetch(FetchDescriptor<Office.Project>()).map(\.name) == ["old"])
    }
  }

  @Test func `a new object that goes at once takes along what was there`() async throws {
    try await withOffice { context in
      let (owner, badge) = (firm("firm"), Office.Badge(name: "badge"))
      context.insert(owner)
      context.insert(badge)
      try context.save()
      let team = Office.Team(name: "new")
      team.badge = badge
      owner.teams = [team]
      context.delete(owner)
      try expectSame(context)
      #expect(try context.fetchCount(FetchDescriptor<Office.Badge>()) == 0)
    }
  }

  @Test func `a deleted object takes the new object that it cannot be without, not the one before`() async throws {
    try await withOffice { context in
      let owner = firm("firm")
      context.insert(owner)
      try context.save()
      owner.archive = Office.Archive(name: "new")
      context.delete(owner)
      try expectSame(context)
      #expect(try context.fetch(FetchDescriptor<Office.Archive>()).map(\.name) == ["of firm"])
    }
  }

  /// The save took it for deleted by somebody else, and left it to come back with the next change.
  @Test func `an object that lost what it needs in the save that deletes it stays deleted`() async throws {
    try await withOffice { context in
      let (first, second) = (Office.Worker(name: "first"), Office.Worker(name: "second"))
      let (left, right) = (Office.Desk(name: "left", worker: first), Office.Desk(name: "right", worker: second))
      context.insert(left)
      context.insert(right)
      try context.save()
      right.worker = first
      context.delete(left)
      try expectSame(context)
      right.worker = second
      try expectSame(context)
      #expect(try context.fetch(FetchDescriptor<Office.Desk>()) == [right])
    }
  }

  @Test func `what takes from an object that it cannot be without is refused, also among deletes`() async throws {
    try await withOffice { context in
      let (first, second) = (Office.Worker(name: "first"), Office.Worker(name: "second"))
      let (left, right) = (Office.Desk(name: "left", worker: first), Office.Desk(name: "right", worker: second))
      let seat = Office.Seat(name: "seat")
      context.insert(left)
      context.insert(right)
      context.insert(seat)
      try context.save()
      right.worker = first
      context.delete(seat)
      #expect { try context.save() } throws: { ($0 as? StoreError)?.code == .invalidRequest }
      left.worker = second
      try expectSame(context)
    }
  }

  @Test func `a delete that is taken back gives its place back, though the array was set meanwhile`() async throws {
    try await withOffice { context in
      let (owner, first, second) = (firm("firm"), Office.Team(name: "first"), Office.Team(name: "second"))
      owner.teams = [first]
      context.insert(owner)
      try context.save()
      context.delete(first)
      owner.teams = [second]
      context.insert(first)
      #expect(Set(owner.teams) == [first, second])
      try expectSame(context)
    }
  }

  @Test func `a member that leaves an ordered array and comes back stands where the array says`() async throws {
    try await withOffice { context in
      let (first, second) = (Office.Team(name: "first"), Office.Team(name: "second"))
      let workers = ["a", "b", "c"].map { Office.Worker(name: $0) }
      first.members = workers
      context.insert(first)
      context.insert(second)
      try context.save()
      workers[0].team = second
      workers[0].team = first
      #expect(first.members.map(\.name) == ["b", "c", "a"])
      try expectSame(context)
      second.members = [workers[2], workers[1]]
      try expectSame(context)
      first.members = [workers[1], workers[0], workers[2]]
      try expectSame(context)
      #expect(first.members.map(\.name) == ["b", "a", "c"])
    }
  }

  @Test func `what is set in an object that is gone changes no other`() async throws {
    try await withOffice { context in
      let (first, second, worker) = (Office.Team(name: "first"), Office.Team(name: "second"), Office.Worker(name: "w"))
      worker.team = first
      context.insert(worker)
      context.insert(second)
      try context.save()
      context.delete(second)
      try context.save()
      second.members = [worker]
      second.name = "changed"
      #expect(worker.team === first && first.members == [worker] && !context.hasChanges)
    }
  }

  /// The other side did not know of it any more, and the object did.
  @Test func `an object that was rolled back and is inserted again is linked again`() async throws {
    try await withOffice { context in
      let (mentor, project) = (Office.Worker(name: "mentor"), Office.Project(name: "project"))
      context.insert(mentor)
      context.insert(project)
      try context.save()
      let (pupil, team) = (Office.Worker(name: "pupil"), Office.Team(name: "team"))
      mentor.pupils = [pupil]
      team.projects = [project]
      pupil.team = team
      context.rollback()
      #expect(mentor.pupils.isEmpty && !context.hasChanges && pupil.mentor === mentor && !context.hasChanges)
      context.insert(pupil)
      #expect(mentor.pupils == [pupil] && team.members == [pupil] && project.teams == [team])
      try expectSame(context)
    }
  }

  /// The list was read while an edit stood against the link that another context had saved.
  @Test func `a rollback shows what others linked meanwhile`() async throws {
    try await withOffice { context in
      let (team, worker) = (Office.Team(name: "team"), Office.Worker(name: "worker"))
      context.insert(team)
      context.insert(worker)
      try context.save()
      worker.team = Office.Team(name: "unsaved")
      let other = ModelContext(context.container)
      let sameWorker = try #require(other.model(for: worker.id) as? Office.Worker)
      sameWorker.team = other.model(for: team.id) as? Office.Team
      try other.save()
      context.processPendingChanges()
      #expect(team.members.isEmpty)
      context.rollback()
      #expect(team.members == [worker] && worker.team === team)
      try expectSame(context)
    }
  }

  private func firmWithUnsavedCharter(_ context: ModelContext) throws -> (Office.Firm, Office.Charter) {
    let (owner, charter) = (firm("firm"), Office.Charter(name: "charter", deed: Office.Deed(name: "deed")))
    context.insert(owner)
    context.insert(charter)
    try context.save()
    charter.firm = owner
    return (owner, charter)
  }

  /// In another context.
  private func saveRivalCharter(of owner: Office.Firm, _ context: ModelContext) throws {
    let other = ModelContext(context.container)
    let rival = Office.Charter(name: "rival", deed: Office.Deed(name: "of the rival"))
    other.insert(rival)
    rival.firm = other.model(for: owner.id) as? Office.Firm
    try other.save()
  }

  /// The other side of the link that another context saved knows of the unsaved one only.
  @Test func `a one-to-one link that another context saved does not show against an unsaved one`() async throws {
    try await withOffice { context in
      let (owner, charter) = try firmWithUnsavedCharter(context)
      try saveRivalCharter(of: owner, context)
      try expectSame(context)
      #expect(owner.charter === charter)
    }
  }

  /// Two deeds, and the id of a charter that another context has given the first of them.
  private func deedsAndCharterSavedElsewhere(
    _ context: ModelContext
  ) throws -> (first: Office.Deed, second: Office.Deed, charter: PersistentIdentifier) {
    let (first, second) = (Office.Deed(name: "first"), Office.Deed(name: "second"))
    context.insert(first)
    context.insert(second)
    try context.save()
    let other = ModelContext(context.container)
    let charter = Office.Charter(name: "charter", deed: try #require(other.model(for: first.id) as? Office.Deed))
    other.insert(charter)
    try other.save()
    return (first, second, charter.id)
  }

  /// The first deed was in memory, and did not know yet of the charter that the other context gave it.
  @Test func `an unsaved one-to-one link takes an object from a partner of which it does not know yet`() async throws {
    try await withOffice { context in
      let (first, second, saved) = try deedsAndCharterSavedElsewhere(context)
      let charter = try #require(context.model(for: saved) as? Office.Charter)
      charter.deed = second
      try expectSame(context)
      #expect(charter.deed === second && first.charter == nil)
    }
  }

  /// The save of another change of the owner took the list for read after it.
  @Test func `a list that was read before another context linked is read again after a save`() async throws {
    try await withOffice { context in
      let owner = firm("firm")
      context.insert(owner)
      try context.save()
      #expect(owner.teams.isEmpty)
      let other = ModelContext(context.container)
      let team = Office.Team(name: "team")
      other.insert(team)
      team.firm = other.model(for: owner.id) as? Office.Firm
      try other.save()
      context.processPendingChanges()
      owner.archive = Office.Archive(name: "new")
      try context.save()
      #expect(owner.teams.map(\.name) == ["team"])
      try expectSame(context)
    }
  }

  /// The save of its name took all of it for known.
  @Test func `a changed object takes in that the save gave its partner to another`() async throws {
    try await withOffice { context in
      let (first, second, saved) = try deedsAndCharterSavedElsewhere(context)
      first.name = "renamed"
      let charter = try #require(context.model(for: saved) as? Office.Charter)
      charter.deed = second
      try expectSame(context)
      #expect(first.charter == nil)
    }
  }

  /// The firm held on to its own charter, and the rival's link came with the save.
  @Test func `a one-to-one link of another context shows when the one here is deleted`() async throws {
    try await withOffice { context in
      let (owner, charter) = try firmWithUnsavedCharter(context)
      context.delete(charter)
      try saveRivalCharter(of: owner, context)
      context.processPendingChanges()
      #expect(owner.charter?.name == "rival")
      try expectSame(context)
    }
  }
}
