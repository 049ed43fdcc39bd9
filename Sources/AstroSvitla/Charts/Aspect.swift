/// Two planets at an angle that counts.
public struct Aspect: Hashable, Codable, Sendable {
  /// How the angle changes at the moment of birth.
  public enum Motion: String, Codable, Hashable, Sendable {
    /// The angle comes nearer to the exact one.
    case applying
    /// It goes away from it, or stands still beside it.
    case separating
    /// It is exact, to a ten-thousandth of a degree; where the hour of birth is not known, it becomes so on that day.
    case exact
  }

  /// The planet that comes first in the order of ``Planet``.
  public let first: Planet
  /// The other planet.
  public let second: Planet
  /// Which angle it is.
  public let kind: AspectKind
  /// How far the angle is from the exact one, in degrees: 0 to the kind's orb.
  public let deviation: Double
  /// How the angle changes.
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

  /// The aspects that hold from the beginning of a day to its end, with the deviation of noon. One that becomes exact
  /// on the day counts as exact. Planets of which no way on the day is known count as standing still.
  static func allDay(among positions: [PlanetPosition]) -> [Aspect] {
    func sky(_ place: (DaySpan) -> EclipticLongitude) -> [Aspect] {
      all(among: positions.map { planet in planet.daySpan.map { planet.moved(to: place($0)) } ?? planet })
    }
    let (morning, evening) = (sky(\.start), sky(\.end))
    return all(among: positions).compactMap { noon in
      guard let early = morning.first(where: noon.isSame), let late = evening.first(where: noon.isSame) else {
        return nil
      }
      return noon.with(early.motion == late.motion ? early.motion : .exact)
    }
  }

  private func isSame(_ other: Aspect) -> Bool {
    first == other.first && second == other.second && kind == other.kind
  }

  private func with(_ motion: Motion) -> Aspect {
    Aspect(first: first, second: second, kind: kind, deviation: deviation, motion: motion)
  }

  private init(first: Planet, second: Planet, kind: AspectKind, deviation: Double, motion: Motion) {
    (self.first, self.second, self.kind) = (first, second, kind)
    (self.deviation, self.motion) = (deviation, motion)
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
