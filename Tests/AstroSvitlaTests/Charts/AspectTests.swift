import AstroSvitla
import TestSupport
import Testing

@Suite struct AspectTests {
  private func position(_ planet: Planet, _ degrees: Double, _ speed: Double = 0) throws -> PlanetPosition {
    try PlanetPosition(planet, at: EclipticLongitude(degrees), speed: speed)
  }

  @Test func `each aspect counts up to its orb and not beyond`() throws {
    let orbs: [AspectKind: (angle: Double, orb: Double)] = [
      .conjunction: (0, 8), .opposition: (180, 8), .trine: (120, 7), .square: (90, 7), .sextile: (60, 6),
    ]
    #expect(orbs.count == AspectKind.allCases.count)
    for (kind, (angle, orb)) in orbs {
      for side in [-1.0, 1] where (0...180).contains(angle + side * orb) {
        #expect(AspectKind(separation: angle + side * orb) == kind)
        #expect(AspectKind(separation: angle + side * (orb + 0.001)) != kind)
      }
      #expect(AspectKind(separation: angle) == kind)
    }
    #expect(AspectKind(separation: 30) == nil)
    #expect(AspectKind(separation: 150) == nil)
  }

  @Test func `no separation is two aspects`() {
    for tenth in 0...1800 {
      let separation = Double(tenth) / 10
      let matches = AspectKind.allCases.filter { abs(separation - $0.angle) <= $0.orb }
      #expect(matches.count <= 1)
      #expect(AspectKind(separation: separation) == matches.first)
    }
  }

  @Test func `a faster planet behind applies, and in front separates, also over the beginning of the circle`() throws {
    let sun = try position(.sun, 1, 1)
    #expect(Aspect(try position(.moon, 356, 13), sun)?.motion == .applying)
    #expect(Aspect(try position(.moon, 6, 13), sun)?.motion == .separating)
    #expect(Aspect(try position(.moon, 1, 13), sun)?.motion == .exact)
    #expect(Aspect(sun, try position(.mercury, 5, -1))?.motion == .applying)
    #expect(Aspect(sun, try position(.mercury, 5, 1))?.motion == .separating)
    #expect(Aspect(sun, try position(.moon, 178, 13))?.motion == .applying)
    #expect(Aspect(sun, try position(.moon, 184, 13))?.motion == .separating)
  }

  @Test func `an aspect is the same whichever planet is named first`() throws {
    let (mars, venus) = (try position(.mars, 100, 0.5), try position(.venus, 8, 1.2))
    let aspect = try #require(Aspect(mars, venus))
    #expect(aspect == Aspect(venus, mars))
    #expect(aspect.first == .venus && aspect.second == .mars && aspect.kind == .square)
    #expect(abs(aspect.deviation - 2) < 1e-9)
    #expect(Aspect(mars, mars) == nil)
  }

  @Test func `a moment later an applying aspect is closer, and a separating one further`() throws {
    var generator = SeededGenerator.announced()
    var seen: [Aspect.Motion: Int] = [:]
    for _ in 0..<300 {
      let chart = try Fixtures.randomChart(&generator)
      let days = 1e-5
      let later = try chart.positions.map {
        try PlanetPosition($0.planet, at: EclipticLongitude($0.longitude.degrees + $0.speed * days), speed: $0.speed)
      }
      for aspect in chart.aspects where aspect.deviation > 0.01 {
        let positions = later.filter { $0.planet == aspect.first || $0.planet == aspect.second }
        let deviation = abs(positions[0].longitude.separation(from: positions[1].longitude) - aspect.kind.angle)
        let change = positions[1].speed - positions[0].speed
        guard abs(change) > 0.001 else { continue }
        #expect((deviation < aspect.deviation) == (aspect.motion == .applying))
        seen[aspect.motion, default: 0] += 1
      }
    }
    #expect(seen[.applying, default: 0] > 100 && seen[.separating, default: 0] > 100)
  }
}
