import Foundation
import Tandem

/// A schema with every form of relationship that there is, for random work: cascade, nullify, deny; one to one, one to
/// many, many to many; with and without an inverse; optional and not; ordered; to itself; inherited.
enum Office {
  static let types: [any PersistentModel.Type] = [
    Firm.self, Team.self, NightTeam.self, Worker.self, Project.self, Contract.self, Folder.self, Desk.self,
  ]

  @Model final class Firm: OfficeObject {
    var name: String
    var mark = 0
    @Relationship(deleteRule: .cascade, inverse: \Team.firm) var teams: [Team] = []
    @Relationship(deleteRule: .deny, inverse: \Contract.firm) var contracts: [Contract] = []
    @Relationship(deleteRule: .cascade, inverse: \Charter.firm) var charter: Charter?
    /// Without an inverse: several firms may share one.
    @Relationship(deleteRule: .cascade) var seat: Seat?
    @Relationship(deleteRule: .cascade) var archive: Archive
    init(name: String, archive: Archive) {
      self.name = name
      self.archive = archive
    }
  }

  @Model class Team: OfficeObject {
    var name: String
    var mark = 0
    var firm: Firm?
    @Relationship(.ordered, inverse: \Worker.team) var members: [Worker] = []
    @Relationship(deleteRule: .cascade, inverse: \Project.teams) var projects: [Project] = []
    @Relationship(deleteRule: .cascade) var badge: Badge?
    init(name: String) { self.name = name }
  }

  @Model final class NightTeam: Team {
    @Relationship(deleteRule: .cascade) var lamp: Badge?
    var guardian: Worker?
    override init(name: String) { super.init(name: name) }
  }

  @Model final class Worker: OfficeObject {
    var name: String
    var mark = 0
    var team: Team?
    var mentor: Worker?
    @Relationship(inverse: \Worker.mentor) var pupils: [Worker] = []
    @Relationship(inverse: \Worker.colleagueOf) var colleagues: [Worker] = []
    var colleagueOf: [Worker] = []
    var desk: Desk?
    init(name: String) { self.name = name }
  }

  @Model final class Project: OfficeObject {
    var name: String
    var mark = 0
    var teams: [Team] = []
    @Relationship(deleteRule: .deny, inverse: \Contract.projects) var contracts: [Contract] = []
    /// Without an inverse, to many.
    @Relationship(deleteRule: .cascade) var badges: [Badge] = []
    init(name: String) { self.name = name }
  }

  @Model final class Contract: OfficeObject {
    var name: String
    var mark = 0
    var firm: Firm
    var projects: [Project] = []
    init(name: String, firm: Firm) {
      self.name = name
      self.firm = firm
    }
  }

  @Model final class Charter: OfficeObject {
    var name: String
    var mark = 0
    var firm: Firm?
    @Relationship(deleteRule: .cascade, inverse: \Deed.charter) var deed: Deed
    init(name: String, deed: Deed) {
      self.name = name
      self.deed = deed
    }
  }

  @Model final class Deed: OfficeObject {
    var name: String
    var mark = 0
    var charter: Charter?
    init(name: String) { self.name = name }
  }

  @Model final class Seat: OfficeObject {
    var name: String
    var mark = 0
    init(name: String) { self.name = name }
  }

  @Model final class Archive: OfficeObject {
    var name: String
    var mark = 0
    init(name: String) { self.name = name }
  }

  @Model final class Badge: OfficeObject {
    var name: String
    var mark = 0
    init(name: String) { self.name = name }
  }

  /// Cannot be without its worker, which knows it.
  @Model final class Desk: OfficeObject {
    var name: String
    var mark = 0
    @Relationship(inverse: \Worker.desk) var worker: Worker
    init(name: String, worker: Worker) {
      self.name = name
      self.worker = worker
    }
  }

  /// Cannot be without its owner, which does not know it; and goes with the folder that it is in.
  @Model final class Folder: OfficeObject {
    var name: String
    var mark = 0
    var owner: Worker
    var parent: Folder?
    @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var folders: [Folder] = []
    init(name: String, owner: Worker) {
      self.name = name
      self.owner = owner
    }
  }
}

/// All have a name, by which an object is known in every context, and a value.
protocol OfficeObject: PersistentModel {
  var name: String { get set }
  var mark: Int { get set }
}

extension OfficeObject {
  static func all(in context: ModelContext) throws -> [any OfficeObject] {
    try context.fetch(FetchDescriptor<Self>())
  }

  static func delete(in context: ModelContext, where isLeaving: (String) -> Bool) throws {
    let names = try context.fetch(FetchDescriptor<Self>()).map(\.name).filter(isLeaving)
    try context.delete(model: Self.self, where: #Predicate { names.contains($0.name) })
  }

  func insert(into context: ModelContext) { context.insert(self) }
  func delete(from context: ModelContext) { context.delete(self) }
}
