/// The twelve houses of a chart: where each begins. The first begins at the ascendant; the tenth begins at the
/// midheaven in Placidus' system, and not in that of equal houses.
public struct HouseRing: Hashable, Sendable {
  /// The element at index n begins house n + 1.
  public let cusps: [EclipticLongitude]

  /// Throws `invalidValue` unless there are twelve cusps that go once round the circle, each house being wider than
  /// nothing.
  public init(cusps: [EclipticLongitude]) throws {
    guard cusps.count == 12 else {
      throw AstroSvitlaError(.invalidValue, .twelveCusps)
    }
    let widths = cusps.indices.map { cusps[$0].distance(forwardTo: cusps[($0 + 1) % 12]) }
    // Widths that are all forward sum up to a multiple of the circle; once round is the only right one.
    guard widths.allSatisfy({ $0 > 0 }), abs(widths.reduce(0, +) - 360) < 0.001 else {
      throw AstroSvitlaError(.invalidValue, .cuspsNotInOrder)
    }
    self.cusps = cusps
  }

  /// Twelve houses of 30° from the ascendant on.
  public init(equalFrom ascendant: EclipticLongitude) throws {
    try self.init(cusps: (0..<12).map { try EclipticLongitude(ascendant.degrees + Double($0) * 30) })
  }

  /// The beginning of the first house.
  public var ascendant: EclipticLongitude { cusps[0] }

  /// The house, 1 to 12, in which a longitude lies. A cusp belongs to the house that begins there.
  public func house(of longitude: EclipticLongitude) -> Int {
    let house = cusps.indices.first { index in
      let (start, end) = (cusps[index], cusps[(index + 1) % 12])
      return start.distance(forwardTo: longitude) < start.distance(forwardTo: end)
    }
    // The houses cover the circle, so only rounding at a cusp could leave a gap: the last house ends there.
    return (house ?? 11) + 1
  }
}
