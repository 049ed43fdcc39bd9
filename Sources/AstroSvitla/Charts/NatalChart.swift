/// The sky at a birth: ten planets, twelve houses, and the aspects that follow from them.
///
/// Positions are input, from the module `NatalChartCalculation` or from a file; sign, house, aspects and motion are
/// worked out here and are always those of the positions.
///
/// Where nobody knows the hour of birth, there are no houses, no ascendant and no midheaven: nothing is made up.
/// Planets stand where they were at noon, each with its way on that day (``PlanetPosition/daySpan``), and only aspects
/// that held all day count.
public struct NatalChart: Hashable, Sendable {
  /// One for each planet, in the order of ``Planet``.
  public let positions: [PlanetPosition]
  /// Nil where the hour of birth is not known.
  public let houses: HouseRing?
  /// How the houses were divided; nil where a file of positions did not say, and without houses.
  public let houseSystem: HouseSystem?
  /// Where the ecliptic meets the meridian, in the south for most of the earth. Nil where the hour of birth is not
  /// known.
  public let midheaven: EclipticLongitude?
  /// By the order of the planets.
  public let aspects: [Aspect]

  /// Throws `invalidValue` unless each planet has exactly one position.
  ///
  /// - Parameters:
  ///   - positions: In any order.
  ///   - houses: The cusps.
  ///   - houseSystem: How they were divided, where that is known.
  ///   - midheaven: The tenth cusp unless given.
  public init(
    positions: [PlanetPosition], houses: HouseRing, houseSystem: HouseSystem? = nil,
    midheaven: EclipticLongitude? = nil
  ) throws {
    self.positions = try Self.ordered(positions)
    self.houses = houses
    self.houseSystem = houseSystem
    self.midheaven = midheaven ?? houses.cusps[9]
    aspects = Aspect.all(among: self.positions)
  }

  /// The sky of a day whose hour nobody knows. Throws `invalidValue` unless each planet has exactly one position, with
  /// its way on that day.
  public init(ofDay positions: [PlanetPosition]) throws {
    self.positions = try Self.ordered(positions)
    guard positions.allSatisfy({ $0.daySpan != nil }) else { throw AstroSvitlaError(.invalidValue, .dayWithoutSpans) }
    (houses, houseSystem, midheaven) = (nil, nil, nil)
    aspects = Aspect.allDay(among: self.positions)
  }

  private static func ordered(_ positions: [PlanetPosition]) throws -> [PlanetPosition] {
    guard positions.count == Planet.allCases.count, Set(positions.map(\.planet)).count == positions.count else {
      throw AstroSvitlaError(.invalidValue, .tenPlanets)
    }
    return Planet.allCases.compactMap { planet in positions.first { $0.planet == planet } }
  }

  /// Where the ecliptic rises over the eastern horizon; nil where the hour of birth is not known.
  public var ascendant: EclipticLongitude? { houses?.ascendant }

  /// The position of a planet.
  public func position(of planet: Planet) -> PlanetPosition {
    guard let found = positions.first(where: { $0.planet == planet }) else {
      preconditionFailure("a chart has a position for each planet; the initialiser checked it")
    }
    return found
  }

  /// The house of a planet, 1 to 12; nil where the hour of birth is not known.
  public func house(of planet: Planet) -> Int? { houses?.house(of: position(of: planet).longitude) }

  /// The aspects in which a planet stands.
  public func aspects(of planet: Planet) -> [Aspect] {
    aspects.filter { $0.first == planet || $0.second == planet }
  }

  /// How many planets stand in signs of each element. One that may have stood in two signs counts for neither.
  public var elements: [ZodiacSign.Element: Int] {
    certainSigns.reduce(into: [:]) { $0[$1.element, default: 0] += 1 }
  }

  /// How many planets stand in signs of each modality. One that may have stood in two signs counts for neither.
  public var modalities: [ZodiacSign.Modality: Int] {
    certainSigns.reduce(into: [:]) { $0[$1.modality, default: 0] += 1 }
  }

  private var certainSigns: [ZodiacSign] { positions.map(\.signs).filter { $0.count == 1 }.map { $0[0] } }
}
