import Tandem

/// A class of the schema.
enum OfficeKind: Int, CaseIterable {
  case firm, team, nightTeam, worker, project, contract, charter, deed, seat, archive, badge, desk, folder

  var type: any OfficeObject.Type {
    switch self {
    case .firm: Office.Firm.self
    case .team: Office.Team.self
    case .nightTeam: Office.NightTeam.self
    case .worker: Office.Worker.self
    case .project: Office.Project.self
    case .contract: Office.Contract.self
    case .charter: Office.Charter.self
    case .deed: Office.Deed.self
    case .seat: Office.Seat.self
    case .archive: Office.Archive.self
    case .badge: Office.Badge.self
    case .desk: Office.Desk.self
    case .folder: Office.Folder.self
    }
  }

  /// What a new object of the class cannot be without.
  var need: OfficeKind? {
    switch self {
    case .firm: .archive
    case .contract: .firm
    case .charter: .deed
    case .desk, .folder: .worker
    default: nil
    }
  }

  /// Nil without what it needs.
  func make(_ name: String, with needed: (any OfficeObject)?) -> (any OfficeObject)? {
    switch self {
    case .firm: (needed as? Office.Archive).map { Office.Firm(name: name, archive: $0) }
    case .team: Office.Team(name: name)
    case .nightTeam: Office.NightTeam(name: name)
    case .worker: Office.Worker(name: name)
    case .project: Office.Project(name: name)
    case .contract: (needed as? Office.Firm).map { Office.Contract(name: name, firm: $0) }
    case .charter: (needed as? Office.Deed).map { Office.Charter(name: name, deed: $0) }
    case .deed: Office.Deed(name: name)
    case .seat: Office.Seat(name: name)
    case .archive: Office.Archive(name: name)
    case .badge: Office.Badge(name: name)
    case .desk: (needed as? Office.Worker).map { Office.Desk(name: name, worker: $0) }
    case .folder: (needed as? Office.Worker).map { Office.Folder(name: name, owner: $0) }
    }
  }

  func fetch(_ context: ModelContext) throws -> [any OfficeObject] { try type.all(in: context) }

  func isKind(of other: OfficeKind) -> Bool { self == other || self == .nightTeam && other == .team }
}

/// One side of a relationship, read and set without its types.
struct OfficeLink: Sendable {
  enum Form: Sendable { case optional, required, many, ordered }

  let name: String
  let holder: OfficeKind
  let target: OfficeKind
  let form: Form
  let inverse: String?
  let targets: @Sendable (any PersistentModel) -> [any OfficeObject]
  let set: @Sendable (any PersistentModel, [any OfficeObject]) -> Void

  private static func one<M: OfficeObject, T: OfficeObject>(
    _ name: String, _ holder: OfficeKind, _ path: any ReferenceWritableKeyPath<M, T?> & Sendable, _ target: OfficeKind,
    _ inverse: String? = nil
  ) -> OfficeLink {
    OfficeLink(
      name: name, holder: holder, target: target, form: .optional, inverse: inverse,
      targets: { ($0 as? M)?[keyPath: path].map { [$0] } ?? [] },
      set: { ($0 as? M)?[keyPath: path] = $1.first as? T })
  }

  private static func required<M: OfficeObject, T: OfficeObject>(
    _ name: String, _ holder: OfficeKind, _ path: any ReferenceWritableKeyPath<M, T> & Sendable, _ target: OfficeKind,
    _ inverse: String? = nil
  ) -> OfficeLink {
    OfficeLink(
      name: name, holder: holder, target: target, form: .required, inverse: inverse,
      targets: { ($0 as? M).map { [$0[keyPath: path]] } ?? [] },
      set: { if let new = $1.first as? T { ($0 as? M)?[keyPath: path] = new } })
  }

  private static func many<M: OfficeObject, T: OfficeObject>(
    _ name: String, _ holder: OfficeKind, _ path: any ReferenceWritableKeyPath<M, [T]> & Sendable, _ target: OfficeKind,
    _ inverse: String? = nil, form: Form = .many
  ) -> OfficeLink {
    OfficeLink(
      name: name, holder: holder, target: target, form: form, inverse: inverse,
      targets: { ($0 as? M)?[keyPath: path] ?? [] },
      set: { ($0 as? M)?[keyPath: path] = $1.compactMap { $0 as? T } })
  }

  static let all: [OfficeLink] = [
    many("Firm.teams", .firm, \Office.Firm.teams, .team, "Team.firm"),
    many("Firm.contracts", .firm, \Office.Firm.contracts, .contract, "Contract.firm"),
    one("Firm.charter", .firm, \Office.Firm.charter, .charter, "Charter.firm"),
    one("Firm.seat", .firm, \Office.Firm.seat, .seat),
    required("Firm.archive", .firm, \Office.Firm.archive, .archive),
    one("Team.firm", .team, \Office.Team.firm, .firm, "Firm.teams"),
    many("Team.members", .team, \Office.Team.members, .worker, "Worker.team", form: .ordered),
    many("Team.projects", .team, \Office.Team.projects, .project, "Project.teams"),
    one("Team.badge", .team, \Office.Team.badge, .badge),
    one("NightTeam.lamp", .nightTeam, \Office.NightTeam.lamp, .badge),
    one("NightTeam.guardian", .nightTeam, \Office.NightTeam.guardian, .worker),
    one("Worker.team", .worker, \Office.Worker.team, .team, "Team.members"),
    one("Worker.mentor", .worker, \Office.Worker.mentor, .worker, "Worker.pupils"),
    many("Worker.pupils", .worker, \Office.Worker.pupils, .worker, "Worker.mentor"),
    many("Worker.colleagues", .worker, \Office.Worker.colleagues, .worker, "Worker.colleagueOf"),
    many("Worker.colleagueOf", .worker, \Office.Worker.colleagueOf, .worker, "Worker.colleagues"),
    one("Worker.desk", .worker, \Office.Worker.desk, .desk, "Desk.worker"),
    many("Project.teams", .project, \Office.Project.teams, .team, "Team.projects"),
    many("Project.contracts", .project, \Office.Project.contracts, .contract, "Contract.projects"),
    many("Project.badges", .project, \Office.Project.badges, .badge),
    required("Contract.firm", .contract, \Office.Contract.firm, .firm, "Firm.contracts"),
    many("Contract.projects", .contract, \Office.Contract.projects, .project, "Project.contracts"),
    one("Charter.firm", .charter, \Office.Charter.firm, .firm, "Firm.charter"),
    required("Charter.deed", .charter, \Office.Charter.deed, .deed, "Deed.charter"),
    one("Deed.charter", .deed, \Office.Deed.charter, .charter, "Charter.deed"),
    required("Desk.worker", .desk, \Office.Desk.worker, .worker, "Worker.desk"),
    required("Folder.owner", .folder, \Office.Folder.owner, .worker),
    one("Folder.parent", .folder, \Office.Folder.parent, .folder, "Folder.folders"),
    many("Folder.folders", .folder, \Office.Folder.folders, .folder, "Folder.parent"),
  ]
}
