import Foundation

/// A place on the ecliptic in degrees, 0 up to but not including 360.
public struct EclipticLongitude: Hashable, Comparable, Sendable {
  /// 0 up to but not including 360.
  public let degrees: Double

  /// Any finite angle, brought into the circle. Throws `invalidValue` for infinity and for what is no number.
  public init(_ degrees: Double) throws {
    guard degrees.isFinite else {
      throw AstroSvitlaError(.invalidValue, .notALongitude)
    }
    let rest = degrees.truncatingRemainder(dividingBy: 360)
    let positive = rest < 0 ? rest + 360 : rest
    // A tiny negative angle rounds up to the full circle; zero without a sign, so that equal places are equal bytes.
    self.degrees = positive >= 360 || positive == 0 ? 0 : positive
  }

  /// By the degrees from the beginning of Aries.
  public static func < (left: EclipticLongitude, right: EclipticLongitude) -> Bool { left.degrees < right.degrees }

  /// The way forward from here to `other`: 0 up to but not including 360.
  public func distance(forwardTo other: EclipticLongitude) -> Double {
    let way = other.degrees - degrees
    return way < 0 ? way + 360 : way
  }

  /// The angle between two places: 0 to 180, the same from both.
  public func separation(from other: EclipticLongitude) -> Double {
    let way = abs(degrees - other.degrees)
    return min(way, 360 - way)
  }

  /// The sign in which it lies.
  public var sign: ZodiacSign { ZodiacSign(at: self) }

  /// Degrees since the sign began: 0 up to but not including 30.
  public var degreesInSign: Double { degrees - sign.degrees.lowerBound }
}

extension EclipticLongitude: Codable {
  /// Reads a number of degrees. Throws as ``init(_:)`` does.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(Double.self))
  }

  /// Writes the degrees as a number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(degrees)
  }
}
