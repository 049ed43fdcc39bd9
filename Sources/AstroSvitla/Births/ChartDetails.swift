public import Foundation

/// A stored chart as a value, without its sky.
public struct ChartDetails: Hashable, Sendable {
  /// The chart's id.
  public let id: UUID
  /// The birth, checked.
  public let birth: BirthDetails
  /// Nil for a chart of no profile.
  public let profileID: UUID?
  /// Nil for a chart of no profile.
  public let profileName: String?
  /// When the chart was added.
  public let createdAt: Date
  /// When the sky was calculated; of charts of builds before 0.2 when they were added.
  public let calculatedAt: Date
  /// How many reports were bought for it.
  public let reportCount: Int

  /// Throws `invalidValue` when another program stored something outside the limits.
  public init(_ chart: BirthChart) throws {
    id = chart.id
    birth = try chart.birth
    profileID = chart.profile?.id
    profileName = chart.profile?.name
    createdAt = chart.createdAt
    calculatedAt = chart.calculatedAt ?? chart.createdAt
    reportCount = chart.reports.count
  }
}
