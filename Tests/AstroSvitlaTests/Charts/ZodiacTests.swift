import AstroSvitla
import TestSupport
import Testing

@Suite struct ZodiacTests {
  @Test func `each sign has thirty degrees, and the next begins where it ends`() throws {
    for (index, sign) in ZodiacSign.allCases.enumerated() {
      #expect(sign.index == index)
      #expect(sign.degrees == Double(index) * 30..<Double(index) * 30 + 30)
      #expect(ZodiacSign(at: try EclipticLongitude(sign.degrees.lowerBound)) == sign)
      #expect(ZodiacSign(at: try EclipticLongitude(sign.degrees.upperBound.nextDown)) == sign)
    }
  }

  @Test func `elements and modalities go round, and each pair of them is one sign`() {
    #expect(ZodiacSign.allCases.prefix(4).map(\.element) == [.fire, .earth, .air, .water])
    #expect(ZodiacSign.allCases.prefix(3).map(\.modality) == [.cardinal, .fixed, .mutable])
    #expect(ZodiacSign.scorpio.element == .water && ZodiacSign.scorpio.modality == .fixed)
    #expect(Set(ZodiacSign.allCases.map { "\($0.element)\($0.modality)" }).count == 12)
    for sign in ZodiacSign.allCases {
      #expect(sign.opposite.opposite == sign)
      #expect(sign.opposite.modality == sign.modality)
    }
  }

  @Test func `any finite angle is one place on the circle`() throws {
    for (given, place) in [
      (0.0, 0.0), (360, 0), (-0.0, 0), (-30, 330), (725, 5), (-1e-300, 0), (359.999, 359.999), (-360, 0),
    ] {
      let longitude = try EclipticLongitude(given)
      #expect(abs(longitude.degrees - place) < 1e-9)
      #expect((0..<360).contains(longitude.degrees) && longitude.degrees.sign == .plus)
    }
    for bad in [Double.infinity, -.infinity, .nan] {
      #expect(#expect(throws: AstroSvitlaError.self) { try EclipticLongitude(bad) }?.code == .invalidValue)
    }
  }

  @Test func `random places lie in their sign, and separations are the same from both sides`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<2_000 {
      let one = try EclipticLongitude(.random(in: -1e6...1e6, using: &generator))
      let other = try EclipticLongitude(.random(in: -1e6...1e6, using: &generator))
      #expect(one.sign.degrees.contains(one.degrees))
      #expect((0..<30).contains(one.degreesInSign))
      let separation = one.separation(from: other)
      #expect((0...180).contains(separation))
      #expect(separation == other.separation(from: one))
      let (there, back) = (one.distance(forwardTo: other), other.distance(forwardTo: one))
      #expect(one == other || abs(there + back - 360) < 1e-6)
      #expect(abs(min(there, back) - separation) < 1e-6)
    }
  }
}
