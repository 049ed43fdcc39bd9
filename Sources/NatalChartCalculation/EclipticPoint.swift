import Foundation

/// A direction from the Earth or the Sun: degrees along the ecliptic, and north of it.
struct EclipticPoint: Sendable {
  var longitude: Double
  var latitude: Double

  /// From the mean ecliptic and equinox of 2000, which libnova's places refer to, to those of a date.
  ///
  /// The angles are Lieske's of 1977, as Meeus gives them in chapter 21 of "Astronomical Algorithms"; within a century
  /// of 2000 they err by less than 0.0001°.
  func precessed(to terrestrial: Double) -> EclipticPoint {
    let centuries = (terrestrial - 2_451_545) / 36_525
    let tilt = (47.0029 * centuries - 0.03302 * centuries * centuries) / 3600
    let node = 174.876384 - (869.8089 * centuries - 0.03536 * centuries * centuries) / 3600
    let turn = (5029.0966 * centuries + 1.11113 * centuries * centuries) / 3600
    let fromNode = node - longitude
    let across = Angle.cosine(latitude) * Angle.sine(fromNode)
    let along = Angle.cosine(latitude) * Angle.cosine(fromNode)
    let y = Angle.cosine(tilt) * across - Angle.sine(tilt) * Angle.sine(latitude)
    let z = Angle.cosine(tilt) * Angle.sine(latitude) + Angle.sine(tilt) * across
    return EclipticPoint(longitude: turn + node - Angle.direction(y: y, x: along), latitude: Angle.arcSine(z))
  }
}
