/// Where a planet stood at a birth, and how it moved.
public struct PlanetPosition: Hashable, Sendable {
  public let planet: Planet
  public let longitude: EclipticLongitude
  /// Degrees north of the ecliptic, negative south; nil where a file of positions did not say.
  public let latitude: Double?
  /// Degrees a day; negative where the planet seems to go backwards.
  public let speed: Double

  /// Throws `invalidValue` unless the speed is one that the planet can have: at most 20° a day, and for sun and moon
  /// not backwards; and for a latitude beyond 90°.
  public init(_ planet: Planet, at longitude: EclipticLongitude, latitude: Double? = nil, speed: Double) throws {
    if let latitude, !(-90...90).contains(latitude) {
      throw AstroSvitlaError(
        .invalidValue, "the latitude of \(planet.rawValue) is from -90 to 90 degrees",
        ukrainian: "широта планети (\(planet.name(in: .ukrainian))) — від -90 до 90 градусів")
    }
    guard speed.isFinite, abs(speed) <= 20, planet.canBeRetrograde || speed >= 0 else {
      throw AstroSvitlaError(
        .invalidValue, "the speed of \(planet.rawValue) is at most 20 degrees a day, and forward for sun and moon",
        ukrainian:
          "швидкість планети (\(planet.name(in: .ukrainian))) — не більше 20 градусів на добу, а Сонце й Місяць ідуть "
          + "лише вперед")
    }
    self.planet = planet
    self.longitude = longitude
    self.latitude = latitude
    self.speed = speed == 0 ? 0 : speed
  }

  public var isRetrograde: Bool { speed < 0 }
}
