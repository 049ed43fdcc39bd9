public import Foundation

/// A stored profile as a value.
public struct ProfileDetails: Hashable, Codable, Sendable {
  /// The profile's id.
  public let id: UUID
  /// 1 to 50 characters.
  public let name: String
  /// When it was made.
  public let createdAt: Date
  /// How many charts are for it.
  public let chartCount: Int
  /// Of its charts.
  public let reportCount: Int

  /// Reads a stored profile.
  public init(_ profile: UserProfile) {
    id = profile.id
    name = profile.name
    createdAt = profile.createdAt
    chartCount = profile.charts.count
    reportCount = profile.charts.reduce(0) { $0 + $1.reports.count }
  }
}
