public import Foundation
import LocalizedTexts
public import Tandem

/// Keeps a person's profiles and charts.
public actor ChartService: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the service's work one piece after another.
  public nonisolated let modelExecutor: any ModelExecutor
  private let installation: Installation

  /// Creates a service on a store.
  public init(_ store: AstroSvitlaStore) {
    modelContainer = store.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(store.container))
    installation = store.installation
  }

  /// Adds a chart in one durable save; the profile of the name is made when it is missing.
  ///
  /// Throws `invalidValue`, or what the store throws; nothing is added then.
  @discardableResult
  public func add(
    _ birth: BirthDetails, chart: NatalChart, profileName: String? = nil, id: UUID = UUID(), at date: Date = .now
  ) throws -> ChartDetails {
    let user = try owner()
    try modelContext.commit {
      let profile = try profileName.map { try existingOrNewProfile(named: $0, of: user, at: date) }
      modelContext.insert(
        try BirthChart(id: id, birth: birth, chart: chart, createdAt: date, user: user, profile: profile))
    }
    return try ChartDetails(modelContext.chart(id))
  }

  private func owner() throws -> User {
    guard let user = try modelContext.user(installation) else {
      throw AstroSvitlaError(.notFound, .noUser)
    }
    return user
  }

  private func existingOrNewProfile(named text: String, of user: User, at date: Date) throws -> UserProfile {
    let name = try PersonName.checked(text)
    // Two devices may each have made one of the name; all take the one that was there first.
    let known = try modelContext.fetch(
      FetchDescriptor<UserProfile>(
        predicate: #Predicate { $0.name == name }, sortBy: [SortDescriptor(\.createdAt)]))
    if let first = known.first { return first }
    let profile = try UserProfile(id: UUID(), name: name, createdAt: date, user: user)
    modelContext.insert(profile)
    return profile
  }
}

extension ChartService {
  /// How a list of charts is ordered.
  public enum Order: String, CaseIterable, Sendable {
    /// By name in the order of the alphabet: ґ after г, є after е, whatever the case.
    case name
    /// The chart that was added last comes first.
    case newest
  }

  /// Charts of every installation that this store has met. Throws what reading the store throws.
  public func charts(_ page: Page = .all, sortedBy order: Order = .name) throws -> [ChartDetails] {
    let sorting: [SortDescriptor<BirthChart>] =
      switch order {
      case .name:
        [SortDescriptor(\.name, comparator: .localizedStandard), SortDescriptor(\.createdAt), SortDescriptor(\.id)]
      case .newest: [SortDescriptor(\.createdAt, order: .reverse), SortDescriptor(\.id, order: .reverse)]
      }
    return try modelContext.fetch(page.cut(FetchDescriptor<BirthChart>(sortBy: sorting))).map { try ChartDetails($0) }
  }

  /// The one chart that a text names: a whole id, the first four or more characters of one, or a name in any case.
  ///
  /// Throws `notFound` or `ambiguous`.
  public func chart(named text: String) throws -> ChartDetails {
    let all = try charts()
    let byName = all.filter { $0.birth.name.lowercased() == text.lowercased() }
    let matches =
      byName.isEmpty && text.count >= 4 ? all.filter { $0.id.uuidString.hasPrefix(text.uppercased()) } : byName
    guard let match = matches.first else {
      throw AstroSvitlaError(.notFound, .noSuchChart)
    }
    guard matches.count == 1 else {
      throw AstroSvitlaError(.ambiguous, .ambiguousChart, .count(matches.count))
    }
    return match
  }

  /// The sky of a chart; this is where its JSON is decoded. Throws `notFound` or `invalidValue`.
  public func natalChart(of id: UUID) throws -> NatalChart { try modelContext.chart(id).natalChart() }

  /// The profiles of that name in any case: several, where devices that had not met each made one. Throws `notFound`.
  public func profileIDs(named text: String) throws -> Set<UUID> {
    let profiles = try modelContext.fetch(FetchDescriptor<UserProfile>())
    let found = profiles.filter { $0.name.lowercased() == text.lowercased() }
    guard !found.isEmpty else {
      throw AstroSvitlaError(.notFound, .noProfileOfThatName)
    }
    return Set(found.map(\.id))
  }

  /// All profiles, of every installation that this store has met, by name in the order of the alphabet.
  public func profiles() throws -> [ProfileDetails] {
    let byName = FetchDescriptor<UserProfile>(
      sortBy: [
        SortDescriptor(\.name, comparator: .localizedStandard), SortDescriptor(\.createdAt), SortDescriptor(\.id),
      ])
    return try modelContext.fetch(byName).map { ProfileDetails($0) }
  }

  /// The one profile that a text names: a whole id, the first four or more characters of one, or a name in any case.
  ///
  /// Throws `notFound` or `ambiguous`.
  public func profile(named text: String) throws -> ProfileDetails {
    let all = try profiles()
    let byName = all.filter { $0.name.lowercased() == text.lowercased() }
    let matches =
      byName.isEmpty && text.count >= 4 ? all.filter { $0.id.uuidString.hasPrefix(text.uppercased()) } : byName
    guard let match = matches.first else {
      throw AstroSvitlaError(.notFound, .noSuchProfile)
    }
    guard matches.count == 1 else {
      throw AstroSvitlaError(.ambiguous, .ambiguousProfile, .count(matches.count))
    }
    return match
  }

  /// Gives a profile another name. Throws `notFound`, or `invalidValue` when the name is outside its limits.
  public func renameProfile(_ id: UUID, to name: String) throws {
    let profile = try storedProfile(id)
    try modelContext.commit { try profile.rename(name) }
  }

  /// Deletes a profile. Its charts and their reports stay, without a profile. Throws `notFound`.
  public func deleteProfile(_ id: UUID) throws {
    let profile = try storedProfile(id)
    try modelContext.commit { modelContext.delete(profile) }
  }

  private func storedProfile(_ id: UUID) throws -> UserProfile {
    let found = try modelContext.fetch(FetchDescriptor<UserProfile>(predicate: #Predicate { $0.id == id }))
    guard let profile = found.first else {
      throw AstroSvitlaError(.notFound, .profileGone)
    }
    return profile
  }

  /// Gives a chart another name. Throws `notFound`, or `invalidValue` when the name is outside its limits.
  public func rename(_ id: UUID, to name: String, at date: Date = .now) throws {
    let chart = try modelContext.chart(id)
    try modelContext.commit { try chart.updateChartName(name, at: date) }
  }

  /// Replaces the sky of a chart; its reports stay as they were written. Throws `notFound`.
  public func recalculate(_ id: UUID, chart sky: NatalChart, at date: Date = .now) throws {
    let chart = try modelContext.chart(id)
    try modelContext.commit { try chart.updateChartData(sky, at: date) }
  }

  /// Deletes a chart with its reports. The credits that paid for them stay spent. Throws `notFound`.
  public func delete(_ id: UUID) throws {
    let chart = try modelContext.chart(id)
    try modelContext.commit { modelContext.delete(chart) }
  }

  /// ``delete(_:)`` under the documents' name.
  public func deleteChart(_ id: UUID) throws { try delete(id) }
}
