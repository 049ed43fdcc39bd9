/// The sky at a birth: ten planets, twelve houses, and the aspects that follow from them.
///
/// Positions are input, from the module `NatalChartCalculation` or from a file; sign, house, aspects and motion are
/// worked out here and are always those of the positions.
public struct NatalChart: Hashable, Sendable {
  /// One for each planet, in the order of ``Planet``.
  public let positions: [PlanetPosition]
  public let houses: HouseRing
  /// How the houses were divided; nil where a file of positions did not say.
  public let houseSystem: HouseSystem?
  /// Where the ecliptic meets the meridian, in the south for most of the earth.
  public let midheaven: EclipticLongitude
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
    guard positions.count == Planet.allCases.count, Set(positions.map(\.planet)).count == positions.count else {
      throw AstroSvitlaError(
        .invalidValue, "a chart has one position for each of the ten planets",
        ukrainian: "карта має по одній позиції для кожної з десяти планет")
    }
    let sorted = Planet.allCases.compactMap { planet in positions.first { $0.planet == planet } }
    self.positions = sorted
    self.houses = houses
    self.houseSystem = houseSystem
    self.midheaven = midheaven ?? houses.cusps[9]
    aspects = Aspect.all(among: sorted)
  }

  /// Where the ecliptic rises over the eastern horizon.
  public var ascendant: EclipticLongitude { houses.ascendant }

  /// The position of a planet.
  public func position(of planet: Planet) -> PlanetPosition {
    guard let found = positions.first(where: { $0.planet == planet }) else {
      preconditionFailure("a chart has a position for each planet; the initialiser checked it")
    }
    return found
  }

  public func house(of planet: Planet) -> Int { houses.house(of: position(of: planet).longitude) }

  public func aspects(of planet: Planet) -> [Aspect] {
    aspects.filter { $0.first == planet || $0.second == planet }
  }

  /// How many planets stand in signs of each element.
  public var elements: [ZodiacSign.Element: Int] {
    positions.reduce(into: [:]) { $0[$1.longitude.sign.element, default: 0] += 1 }
  }

  /// How many planets stand in signs of each modality.
  public var modalities: [ZodiacSign.Modality: Int] {
    positions.reduce(into: [:]) { $0[$1.longitude.sign.modality, default: 0] += 1 }
  }
}
