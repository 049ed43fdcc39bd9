public import Foundation
public import Tandem

/// Somebody whom a person makes charts for: the person, a partner, a child.
@Model
public final class UserProfile {
  /// The same on every device.
  @Attribute(.unique) public private(set) var id: UUID
  /// 1 to 50 characters, see ``PersonName``.
  public private(set) var name: String
  /// When it was made.
  public private(set) var createdAt: Date
  /// The installation that made it.
  public var user: User?
  /// The charts for it; they stay when the profile is deleted.
  @Relationship(deleteRule: .nullify, inverse: \BirthChart.profile) public var charts: [BirthChart] = []

  /// Throws `invalidValue` when the name is outside its limits.
  public init(id: UUID, name: String, createdAt: Date, user: User) throws {
    let name = try PersonName.checked(name)
    self.id = id
    self.name = name
    self.createdAt = createdAt
    self.user = user
  }

  /// Throws `invalidValue` when the name is outside its limits.
  public func rename(_ name: String) throws {
    let checked = try PersonName.checked(name)
    if self.name != checked { self.name = checked }
  }
}
