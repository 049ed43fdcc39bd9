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
  /// let moon = chart.position(of: .moon).longitude  // 17° of Aquarius
  /// ```
  ///
  /// - Parameters:
  ///   - birth: The clock's time and the place.
  ///   - system: How to divide the circle.
  ///
  /// Where the hour is not known, the chart is that of the day, without houses: planets as they stood at noon, each
  /// with its way from the beginning of the day to its end.
  ///
  /// - Throws: `housesUndefined` where the system has no answer, as Placidus' beyond the polar circles.
  public init(of birth: BirthDetails, houses system: HouseSystem = .placidus) throws {
    guard let time = birth.time else {
      try self.init(
        onDay: birth.place.moments(of: birth.day), noon: birth.place.moment(of: birth.day, at: .noon))
      return
    }
    try self.init(at: birth.place.moment(of: birth.day, at: time), over: birth.place, houses: system)
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

  private init(onDay day: Range<Date>, noon: Date) throws {
    let (ephemeris, moments) = (Ephemeris(), [day.lowerBound, noon, day.upperBound].map { AstronomicalMoment($0) })
    try self.init(
      ofDay: Planet.allCases.map { planet in
        let places = moments.map { ephemeris.position(of: planet, at: $0.terrestrial) }
        let longitudes = try places.map { try EclipticLongitude($0.0.longitude) }
        return try PlanetPosition(
          planet, at: longitudes[1], latitude: places[1].0.latitude, speed: places[1].1,
          daySpan: DaySpan(start: longitudes[0], end: longitudes[2]))
      })
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
  static let noPlacidusHouses = AstroSvitlaError(.housesUndefined, .noPlacidusHouses)
}
