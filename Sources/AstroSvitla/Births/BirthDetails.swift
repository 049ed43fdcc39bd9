/// A birth, checked: what a ``BirthChart`` is made of beside the sky.
public struct BirthDetails: Hashable, Sendable {
  /// 1 to 50 characters.
  public let name: String
  /// The day by the calendar of the place.
  public let day: BirthDay
  /// The time that clocks showed; nil where nobody knows it.
  public let time: BirthTime?
  /// The place, with the zone of its clocks.
  public let place: BirthPlace

  /// Throws `invalidValue` when the name is outside its limits.
  public init(name: String, day: BirthDay, time: BirthTime?, place: BirthPlace) throws {
    self.name = try PersonName.checked(name)
    self.day = day
    self.time = time
    self.place = place
  }
}
