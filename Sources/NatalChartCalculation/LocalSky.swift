import AstroSvitla
import Foundation

/// The turning sky over a place: where the ecliptic meets horizon and meridian, and the houses between.
struct LocalSky: Sendable {
  /// The right ascension of the meridian, in degrees.
  let meridian: Double
  /// How far the ecliptic leans against the equator, in degrees.
  let obliquity: Double
  /// A pole has no east. A hair beside it there is one, and nobody is born nearer.
  let latitude: Double

  init(at moment: AstronomicalMoment, over place: BirthPlace, _ ephemeris: Ephemeris) {
    let nutation = ephemeris.nutation(at: moment.terrestrial)
    obliquity = nutation.obliquity
    meridian =
      ephemeris.meanSiderealTime(at: moment.universal) + nutation.longitude * Angle.cosine(nutation.obliquity)
      + place.longitude
    latitude = max(-89.999999, min(89.999999, place.latitude))
  }

  /// Where the ecliptic meets the meridian, on the equator's side of the pole.
  var midheaven: Double { longitude(ofRightAscension: meridian) }

  /// Where the ecliptic meets the eastern horizon.
  var ascendant: Double {
    let y = Angle.cosine(meridian)
    let x = -(Angle.sine(meridian) * Angle.cosine(obliquity) + Angle.tangent(latitude) * Angle.sine(obliquity))
    let found = Angle.direction(y: y, x: x)
    // Beyond the polar circles the formula names the western point for a part of the day.
    return Angle.turned(meridian - rightAscension(of: found)) <= 0 ? found : found + 180
  }

  private func longitude(ofRightAscension angle: Double) -> Double {
    Angle.direction(y: Angle.sine(angle), x: Angle.cosine(angle) * Angle.cosine(obliquity))
  }

  private func rightAscension(of longitude: Double) -> Double {
    Angle.direction(y: Angle.sine(longitude) * Angle.cosine(obliquity), x: Angle.cosine(longitude))
  }
}

extension LocalSky {
  /// Placidus' cusps, the first at index 0; nil where there are none.
  ///
  /// A point of the ecliptic goes from the horizon to the meridian in half of its day; cusp 11 has a third of it before
  /// it, cusp 12 two thirds, and likewise cusps 3 and 2 of half of their night. The others lie opposite.
  var placidusCusps: [Double]? {
    guard abs(latitude) < 90 - obliquity else { return nil }
    let upper = [
      midheaven, cusp(part: 1.0 / 3, isByDay: true), cusp(part: 2.0 / 3, isByDay: true), ascendant,
      cusp(part: 2.0 / 3, isByDay: false), cusp(part: 1.0 / 3, isByDay: false),
    ]
    let circle = upper + upper.map { $0 + 180 }
    return Array(circle[3...] + circle[..<3])
  }

  /// Solves: right ascension = meridian + part of half of the point's own day.
  ///
  /// With k = tan φ · tan ε, half of a day is 90° + arcsin(k · sin α). Its slope in α is at most |k|, which is below 1
  /// where Placidus has an answer, so each round leaves at most two thirds of the error: 90 rounds leave none.
  private func cusp(part: Double, isByDay: Bool) -> Double {
    let factor = Angle.tangent(latitude) * Angle.tangent(obliquity)
    var angle = meridian
    for _ in 0..<90 {
      let halfDay = 90 + Angle.arcSine(factor * Angle.sine(angle))
      angle = isByDay ? meridian + part * halfDay : meridian + 180 - part * (180 - halfDay)
    }
    return longitude(ofRightAscension: angle)
  }
}
