/// Two planets at an angle that counts.
public struct Aspect: Hashable, Codable, Sendable {
  /// How the angle changes at the moment of birth.
  public enum Motion: String, Codable, Hashable, Sendable {
    /// The angle comes nearer to the exact one.
    case applying
    /// It goes away from it, or stands still beside it.
    case separating
    /// It is exact, to a ten-thousandth of a degree.
    case exact
  }

  /// In the order of ``Planet``: the first comes before the second.
  public let first: Planet
  public let second: Planet
  public let kind: AspectKind
  /// How far the angle is from the exact one, in degrees: 0 to the kind's orb.
  public let deviation: Double
  public let motion: Motion

  /// Nil where the two stand in no aspect, or are one planet.
  public init?(_ one: PlanetPosition, _ other: PlanetPosition) {
    guard let oneIndex = Planet.allCases.firstIndex(of: one.planet),
      let otherIndex = Planet.allCases.firstIndex(of: other.planet), oneIndex != otherIndex,
      let kind = AspectKind(separation: one.longitude.separation(from: other.longitude))
    else { return nil }
    let (left, right) = oneIndex < otherIndex ? (one, other) : (other, one)
    first = left.planet
    second = right.planet
    self.kind = kind
    let signed = left.longitude.separation(from: right.longitude) - kind.angle
    deviation = abs(signed)
    motion = Self.motion(signed: signed, change: Self.separationChange(left, right))
  }

  /// Every aspect of the positions, by the order of the planets.
  public static func all(among positions: [PlanetPosition]) -> [Aspect] {
    let sorted = Planet.allCases.compactMap { planet in positions.first { $0.planet == planet } }
    return sorted.indices.flatMap { index in
      sorted[(index + 1)...].compactMap { Aspect(sorted[index], $0) }
    }
  }

  private static let exactDegrees = 0.0001

  private static func motion(signed: Double, change: Double) -> Motion {
    if abs(signed) <= exactDegrees { return .exact }
    return signed * change < 0 ? .applying : .separating
  }

  /// Degrees a day by which the separation grows. At 0° it can only grow and at 180° only shrink; there it is exact.
  private static func separationChange(_ left: PlanetPosition, _ right: PlanetPosition) -> Double {
    let isRightAhead = left.longitude.distance(forwardTo: right.longitude) < 180
    return isRightAhead ? right.speed - left.speed : left.speed - right.speed
  }
}
