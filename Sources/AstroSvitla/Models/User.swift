public import Foundation
public import Tandem

/// One installation of the app, created when it is first opened. ``id`` goes into purchases as the app account token.
@Model
public final class User {
  /// The same as the installation's.
  @Attribute(.unique) public private(set) var id: UUID
  /// When the app was first opened.
  public private(set) var createdAt: Date
  /// When the app was last launched; nil as long as only builds before 0.2 launched it.
  public private(set) var lastActiveAt: Date?
  /// Those whom the person makes charts for; deleted with the user.
  @Relationship(deleteRule: .cascade, inverse: \UserProfile.user) public var profiles: [UserProfile] = []
  /// The charts of the installation; deleted with the user.
  @Relationship(deleteRule: .cascade, inverse: \BirthChart.user) public var charts: [BirthChart] = []

  /// Creates the user of an installation.
  public init(id: UUID, createdAt: Date) {
    self.id = id
    self.createdAt = createdAt
  }

  /// Notes that the app is in use; ``PurchaseService/launch(listens:)`` does at every launch.
  public func updateLastActive(at date: Date = .now) { lastActiveAt = date }

  /// The reports of the user's charts, the newest first.
  public var purchases: [ReportPurchase] { charts.flatMap(\.reports).sorted { $0.isNewer(than: $1) } }
}
