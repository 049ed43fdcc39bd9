import AstroSvitla
import CNova
import Foundation
import Synchronization

/// Where planets stand, by libnova: VSOP87 for the planets, ELP 2000-82 for the Moon, Meeus' series for Pluto.
///
/// Places are those that a chart shows: seen from the middle of the Earth, with the time that light takes, on the true
/// ecliptic and equinox of the date.
///
/// libnova keeps results of its last calls in static variables without a lock, so one thread at a time is let in.
struct Ephemeris: Sendable {
  private static let turn = Mutex(())
  /// How long light takes for the distance from the Sun to the Earth, in days.
  private static let lightDays = 0.0057755183
  /// Short enough that a planet hardly turns within it, long enough that the last digits do not matter.
  private static let speedStepDays = 0.05

  /// A planet's place, and its speed in degrees a day.
  func position(of planet: Planet, at terrestrial: Double) -> (point: EclipticPoint, speed: Double) {
    Self.turn.withLock { _ in
      let now = Self.apparent(planet, terrestrial, wayDays: 0)
      let (before, after) = (terrestrial - Self.speedStepDays, terrestrial + Self.speedStepDays)
      let moved = Angle.turned(
        Self.apparent(planet, after, wayDays: now.wayDays).point.longitude
          - Self.apparent(planet, before, wayDays: now.wayDays).point.longitude)
      return (now.point, moved / (2 * Self.speedStepDays))
    }
  }

  /// By how much the equinox swings to and fro, and how far the ecliptic leans against the equator, in degrees.
  func nutation(at terrestrial: Double) -> (longitude: Double, obliquity: Double) {
    Self.turn.withLock { _ in
      let nutation = Self.nutation(terrestrial)
      return (nutation.longitude, nutation.ecliptic + nutation.obliquity)
    }
  }

  /// The sidereal time of Greenwich without nutation, in degrees.
  func meanSiderealTime(at universal: Double) -> Double {
    Self.turn.withLock { _ in ln_get_mean_sidereal_time(universal) * 15 }
  }

  /// - Parameter wayDays: How long the light takes, as far as that is known.
  private static func apparent(
    _ planet: Planet, _ terrestrial: Double, wayDays: Double
  ) -> (point: EclipticPoint, wayDays: Double) {
    let (seen, way) =
      planet == .moon ? (moon(terrestrial), 0) : seen(planet, terrestrial, wayDays: wayDays)
    var point = seen.precessed(to: terrestrial)
    point.longitude += nutation(terrestrial).longitude
    return (point, way)
  }

  /// The Moon is so near that the way of its light is not worth a step.
  private static func moon(_ terrestrial: Double) -> EclipticPoint {
    var found = ln_lnlat_posn()
    ln_get_lunar_ecl_coords(terrestrial, &found, 0)
    return EclipticPoint(longitude: found.lng, latitude: found.lat)
  }

  /// Both the planet and the Earth as they were when the light left: that is light's way and its aberration in one
  /// (Meeus, chapter 33). Planets are ten thousand times slower than light, so each round adds four digits to its way.
  private static func seen(
    _ planet: Planet, _ terrestrial: Double, wayDays: Double
  ) -> (point: EclipticPoint, wayDays: Double) {
    var (direction, way) = (SpacePoint.zero, wayDays)
    for _ in 0..<(wayDays == 0 ? 3 : 2) {
      let moment = terrestrial - way
      direction = place(of: planet, moment) - SpacePoint(earth(moment))
      way = direction.distance * lightDays
    }
    return (direction.eclipticPoint, way)
  }

  private static func place(of planet: Planet, _ terrestrial: Double) -> SpacePoint {
    if planet == .sun { return .zero }
    var found = ln_helio_posn()
    switch planet {
    case .mercury: ln_get_mercury_helio_coords(terrestrial, &found)
    case .venus: ln_get_venus_helio_coords(terrestrial, &found)
    case .mars: ln_get_mars_helio_coords(terrestrial, &found)
    case .jupiter: ln_get_jupiter_helio_coords(terrestrial, &found)
    case .saturn: ln_get_saturn_helio_coords(terrestrial, &found)
    case .uranus: ln_get_uranus_helio_coords(terrestrial, &found)
    case .neptune: ln_get_neptune_helio_coords(terrestrial, &found)
    case .pluto: ln_get_pluto_helio_coords(terrestrial, &found)
    case .sun, .moon: preconditionFailure("the Sun is the middle, and the Moon has a theory of its own")
    }
    return SpacePoint(found)
  }

  private static func earth(_ terrestrial: Double) -> ln_helio_posn {
    var found = ln_helio_posn()
    ln_get_earth_helio_coords(terrestrial, &found)
    return found
  }

  private static func nutation(_ terrestrial: Double) -> ln_nutation {
    var found = ln_nutation()
    // For a moment within a tenth of a day of its last one libnova answers as it did then, and its sum begins with a
    // trace of its last answer. Two moments far away make it forget both, so that equal births have equal charts to
    // the last bit, whatever was asked before.
    for daysAway in [2000.0, 1000, 0] { ln_get_nutation(terrestrial + daysAway, &found) }
    return found
  }
}

/// A place around the Sun, in distances of the Earth.
private struct SpacePoint {
  var x: Double
  var y: Double
  var z: Double

  static let zero = SpacePoint(x: 0, y: 0, z: 0)

  static func - (left: SpacePoint, right: SpacePoint) -> SpacePoint {
    SpacePoint(x: left.x - right.x, y: left.y - right.y, z: left.z - right.z)
  }

  var distance: Double { (x * x + y * y + z * z).squareRoot() }

  var eclipticPoint: EclipticPoint {
    EclipticPoint(longitude: Angle.direction(y: y, x: x), latitude: Angle.arcSine(z / distance))
  }
}

extension SpacePoint {
  init(_ place: ln_helio_posn) {
    let level = place.R * Angle.cosine(place.B)
    self.init(x: level * Angle.cosine(place.L), y: level * Angle.sine(place.L), z: place.R * Angle.sine(place.B))
  }
}
