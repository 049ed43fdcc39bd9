public import Foundation
public import Tandem

/// One installation of the app, created when it is first opened. ``id`` goes into purchases as the app account token.
@Model
public final class User {
  @Attribute(.unique) public private(set) var id: UUID
  public private(set) var createdAt: Date
  @Relationship(deleteRule: .cascade, inverse: \UserProfile.user) public var profiles: [UserProfile] = []
  @Relationship(deleteRule: .cascade, inverse: \BirthChart.user) public var charts: [BirthChart] = []

  public init(id: UUID, createdAt: Date) {
    self.id = id
    self.createdAt = createdAt
  }
}
