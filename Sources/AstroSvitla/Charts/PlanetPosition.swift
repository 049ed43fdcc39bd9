import LocalizedTexts

/// Where a planet stood at a birth, and how it moved.
public struct PlanetPosition: Hashable, Sendable {
  /// The planet.
  public let planet: Planet
  /// Where it stood; at noon where the hour of birth is not known.
  public let longitude: EclipticLongitude
  /// Degrees north of the ecliptic, negative south; nil where a file of positions did not say.
  public let latitude: Double?
  /// Degrees a day; negative where the planet seems to go backwards.
  public let speed: Double
  /// From where to where it went on the day, where the hour of birth is not known; nil where the hour is known.
  public let daySpan: DaySpan?

  /// Throws `invalidValue` unless the speed is one that the planet can have: at most 20° a day, and for sun and moon
  /// not backwards; and for a latitude beyond 90°.
  public init(
    _ planet: Planet, at longitude: EclipticLongitude, latitude: Double? = nil, speed: Double, daySpan: DaySpan? = nil
  ) throws {
    if let latitude, !(-90...90).contains(latitude) {
      throw AstroSvitlaError(.invalidValue, .planetLatitude, .sentence(Sentence(planet.key)))
    }
    guard speed.isFinite, abs(speed) <= 20, planet.canBeRetrograde || speed >= 0 else {
      throw AstroSvitlaError(.invalidValue, .planetSpeed, .sentence(Sentence(planet.key)))
    }
    self.planet = planet
    self.longitude = longitude
    self.latitude = latitude
    self.speed = speed == 0 ? 0 : speed
    self.daySpan = daySpan
  }

  /// The signs in which it may have stood: one, or where it changed signs on a day without an hour, two.
  public var signs: [ZodiacSign] {
    guard let daySpan else { return [longitude.sign] }
    return daySpan.start.sign == daySpan.end.sign ? [longitude.sign] : [daySpan.start.sign, daySpan.end.sign]
  }

  /// Whether it seemed to move backwards.
  public var isRetrograde: Bool { speed < 0 }

  /// The same planet elsewhere on its day.
  func moved(to longitude: EclipticLongitude) -> PlanetPosition {
    PlanetPosition(planet, longitude, latitude, speed)
  }

  private init(_ planet: Planet, _ longitude: EclipticLongitude, _ latitude: Double?, _ speed: Double) {
    (self.planet, self.longitude, self.latitude, self.speed) = (planet, longitude, latitude, speed)
    daySpan = nil
  }
}
