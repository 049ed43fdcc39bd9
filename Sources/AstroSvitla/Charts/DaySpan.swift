/// The way of a planet on a day whose hour nobody knows.
public struct DaySpan: Hashable, Codable, Sendable {
  /// Where it stood as the day began.
  public let start: EclipticLongitude
  /// Where it stood as the next day began.
  public let end: EclipticLongitude

  /// Creates the way from its ends.
  public init(start: EclipticLongitude, end: EclipticLongitude) {
    self.start = start
    self.end = end
  }

  /// How wide the way is, in degrees: about 13 for the Moon, 1 for the Sun.
  public var degrees: Double { start.separation(from: end) }
}
