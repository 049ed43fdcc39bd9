public import Foundation

/// A stored chart as a value, without its sky.
public struct ChartDetails: Hashable, Sendable {
  public let id: UUID
  public let birth: BirthDetails
  public let profileID: UUID?
  public let profileName: String?
  public let createdAt: Date
  public let reportCount: Int

  /// Throws `invalidValue` when another program stored something outside the limits.
  public init(_ chart: BirthChart) throws {
    id = chart.id
    birth = try chart.birth
    profileID = chart.profile?.id
    profileName = chart.profile?.name
    createdAt = chart.createdAt
    reportCount = chart.reports.count
  }
}
