/// The sky at a birth: ten planets, twelve houses, and the aspects that follow from them.
///
/// Positions are input; sign, house, aspects and motion are worked out here and are always those of the positions.
public struct NatalChart: Hashable, Sendable {
  /// One for each planet, in the order of ``Planet``.
  public let positions: [PlanetPosition]
  public let houses: HouseRing
  public let aspects: [Aspect]

  /// Throws `invalidValue` unless each planet has exactly one position.
  public init(positions: [PlanetPosition], houses: HouseRing) throws {
    guard positions.count == Planet.allCases.count, Set(positions.map(\.planet)).count == positions.count else {
      throw AstroSvitlaError(
        .invalidValue, "a chart has one position for each of the ten planets",
        ukrainian: "карта має по одній позиції для кожної з десяти планет")
    }
    let sorted = Planet.allCases.compactMap { planet in positions.first { $0.planet == planet } }
    self.positions = sorted
    self.houses = houses
    aspects = Aspect.all(among: sorted)
  }

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
