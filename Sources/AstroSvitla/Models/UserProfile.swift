public import Foundation
public import Tandem

/// Somebody whom a person makes charts for: the person, a partner, a child.
@Model
public final class UserProfile {
  @Attribute(.unique) public private(set) var id: UUID
  /// 1 to 50 characters, see ``PersonName``.
  public private(set) var name: String
  public private(set) var createdAt: Date
  public var user: User?
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
