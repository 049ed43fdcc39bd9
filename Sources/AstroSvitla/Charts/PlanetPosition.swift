/// Where a planet stood at a birth, and how it moved.
public struct PlanetPosition: Hashable, Sendable {
  public let planet: Planet
  public let longitude: EclipticLongitude
  /// Degrees a day; negative where the planet seems to go backwards.
  public let speed: Double

  /// Throws `invalidValue` unless the speed is one that the planet can have: at most 20° a day, and for sun and moon
  /// not backwards.
  public init(_ planet: Planet, at longitude: EclipticLongitude, speed: Double) throws {
    guard speed.isFinite, abs(speed) <= 20, planet.canBeRetrograde || speed >= 0 else {
      throw AstroSvitlaError(
        .invalidValue, "the speed of \(planet.rawValue) is at most 20 degrees a day, and forward for sun and moon",
        ukrainian:
          "швидкість планети (\(planet.name(in: .ukrainian))) — не більше 20 градусів на добу, а Сонце й Місяць ідуть "
          + "лише вперед")
    }
    self.planet = planet
    self.longitude = longitude
    self.speed = speed == 0 ? 0 : speed
  }

  public var isRetrograde: Bool { speed < 0 }
}
