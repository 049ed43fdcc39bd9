public import Foundation

/// Where somebody was born: degrees on the earth, and the time zone whose clocks were in use.
public struct BirthPlace: Hashable, Sendable {
  /// -90 (south pole) to 90.
  public let latitude: Double
  /// -180 to 180, east positive.
  public let longitude: Double
  /// A name of the IANA database, such as `Europe/Kyiv`.
  public let timeZoneName: String
  /// What people call the place, as far as somebody said; nothing is worked out from it.
  public let name: String?

  /// Throws `invalidValue` outside of the limits, for a time zone that the system's database does not have, and for a
  /// name outside of the limits of ``PersonName``.
  public init(latitude: Double, longitude: Double, timeZoneName: String, name: String? = nil) throws {
    guard (-90...90).contains(latitude) else {
      throw AstroSvitlaError(.invalidValue, .latitudeOutside)
    }
    guard (-180...180).contains(longitude) else {
      throw AstroSvitlaError(.invalidValue, .longitudeOutside)
    }
    // Abbreviations such as EET name no history of offsets.
    guard timeZoneName == "UTC" || timeZoneName.contains("/"), TimeZone(identifier: timeZoneName) != nil else {
      throw AstroSvitlaError(.invalidValue, .notATimeZone)
    }
    self.latitude = latitude
    self.longitude = longitude
    self.timeZoneName = timeZoneName
    self.name = try name.map(PersonName.checked)
  }

  /// The moment that clocks there showed so. In an hour that clocks skipped: the moment that would have been meant; in
  /// one that they repeated: the first.
  public func moment(of day: BirthDay, at time: BirthTime) -> Date { clockReading(of: day, at: time).moment }

  /// The first moment of a day there, and the first of the next one: 24 hours, less or more where clocks were set.
  public func moments(of day: BirthDay) -> Range<Date> {
    reading(day.date).moment..<reading(day.date.addingTimeInterval(86_400)).moment
  }

  /// When clocks there showed so, by the history of the zone's offsets that Foundation has.
  ///
  /// That history is right from 1970 on. Before, zones whose clocks have agreed since share one: Amsterdam has that of
  /// Brussels. ``PlaceTable/hasOwnHistory(_:)`` tells them.
  public func clockReading(of day: BirthDay, at time: BirthTime) -> ClockReading {
    reading(day.date.addingTimeInterval(Double(time.minuteOfDay) * 60))
  }

  /// - Parameter shown: What the clocks showed, as a moment in UTC.
  private func reading(_ shown: Date) -> ClockReading {
    let zone = TimeZone(identifier: timeZoneName) ?? .gmt
    // No zone is further than a day from UTC, and none was set twice within two days.
    let offsets = [-86_400.0, 86_400].map { zone.secondsFromGMT(for: shown.addingTimeInterval($0)) }
    let moments = offsets.map { shown.addingTimeInterval(-Double($0)) }
    let right = zip(moments, offsets).filter { zone.secondsFromGMT(for: $0) == $1 }.map(\.0)
    guard let first = right.first else { return .skipped(moments[0]) }
    return right.last == first ? .once(first) : .twice(first: first, second: right[1])
  }
}
