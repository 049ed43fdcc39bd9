/// A birth, checked: what a ``BirthChart`` is made of beside the sky.
public struct BirthDetails: Hashable, Sendable {
  /// 1 to 50 characters.
  public let name: String
  public let day: BirthDay
  public let time: BirthTime
  public let place: BirthPlace

  /// Throws `invalidValue` when the name is outside its limits.
  public init(name: String, day: BirthDay, time: BirthTime, place: BirthPlace) throws {
    self.name = try PersonName.checked(name)
    self.day = day
    self.time = time
    self.place = place
  }
}
