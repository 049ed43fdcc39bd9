public import AstroSvitla
public import Foundation

extension NatalChart {
  /// The sky of a birth, calculated from its date, time and place.
  ///
  /// From 1900 to 2100 it agrees with the Jet Propulsion Laboratory's DE405 within 0.02° for the Sun, the Moon and the
  /// planets, 0.1° for Pluto, and 0.05° for ascendant and midheaven. It takes about ten milliseconds; any thread
  /// may call it, and one at a time gets on.
  ///
  /// ```swift
  /// let chart = try NatalChart(of: birth)
  /// print(chart.ascendant.sign, chart.position(of: .moon).longitude.degreesInSign)
  /// ```
  ///
  /// - Parameters:
  ///   - birth: The clock's time and the place.
  ///   - system: How to divide the circle.
  ///
  /// - Throws: `housesUndefined` where the system has no answer, as Placidus' beyond the polar circles.
  public init(of birth: BirthDetails, houses system: HouseSystem = .placidus) throws {
    try self.init(at: birth.place.moment(of: birth.day, at: birth.time), over: birth.place, houses: system)
  }

  /// The sky over a place at a moment. Throws `housesUndefined`.
  public init(at date: Date, over place: BirthPlace, houses system: HouseSystem = .placidus) throws {
    let (moment, ephemeris) = (AstronomicalMoment(date), Ephemeris())
    let sky = LocalSky(at: moment, over: place, ephemeris)
    let houses = try Self.houses(of: sky, system)
    let positions = try Planet.allCases.map { planet in
      let (point, speed) = ephemeris.position(of: planet, at: moment.terrestrial)
      return try PlanetPosition(
        planet, at: EclipticLongitude(point.longitude), latitude: point.latitude, speed: speed)
    }
    try self.init(
      positions: positions, houses: houses, houseSystem: system, midheaven: EclipticLongitude(sky.midheaven))
  }

  private static func houses(of sky: LocalSky, _ system: HouseSystem) throws -> HouseRing {
    switch system {
    case .equal: return try HouseRing(equalFrom: EclipticLongitude(sky.ascendant))
    case .placidus:
      guard let cusps = sky.placidusCusps else { throw AstroSvitlaError.noPlacidusHouses }
      return try HouseRing(cusps: cusps.map { try EclipticLongitude($0) })
    }
  }
}

extension AstroSvitlaError {
  static let noPlacidusHouses = AstroSvitlaError(
    .housesUndefined,
    "Placidus has no houses beyond the polar circles, where parts of the ecliptic neither rise nor set: choose equal "
      + "houses",
    ukrainian:
      "за полярними колами система Плацидуса не має домів, бо частини екліптики там не сходять і не заходять: оберіть "
      + "рівні доми")
}
