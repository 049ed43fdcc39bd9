public import Foundation

/// A stored profile as a value.
public struct ProfileDetails: Hashable, Codable, Sendable {
  public let id: UUID
  public let name: String
  public let createdAt: Date
  public let chartCount: Int
  /// Of its charts.
  public let reportCount: Int

  public init(_ profile: UserProfile) {
    id = profile.id
    name = profile.name
    createdAt = profile.createdAt
    chartCount = profile.charts.count
    reportCount = profile.charts.reduce(0) { $0 + $1.reports.count }
  }
}
