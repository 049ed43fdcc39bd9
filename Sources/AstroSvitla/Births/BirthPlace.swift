public import Foundation

/// Where somebody was born: degrees on the earth, and the time zone whose clocks were in use.
public struct BirthPlace: Hashable, Sendable {
  /// -90 (south pole) to 90.
  public let latitude: Double
  /// -180 to 180, east positive.
  public let longitude: Double
  /// A name of the IANA database, such as `Europe/Kyiv`.
  public let timeZoneName: String

  /// Throws `invalidValue` outside of the limits, and for a time zone that the system's database does not have.
  public init(latitude: Double, longitude: Double, timeZoneName: String) throws {
    guard (-90...90).contains(latitude) else {
      throw AstroSvitlaError(
        .invalidValue, "a latitude is from -90 to 90 degrees", ukrainian: "широта — від -90 до 90 градусів")
    }
    guard (-180...180).contains(longitude) else {
      throw AstroSvitlaError(
        .invalidValue, "a longitude is from -180 to 180 degrees", ukrainian: "довгота — від -180 до 180 градусів")
    }
    // Abbreviations such as EET name no history of offsets.
    guard timeZoneName == "UTC" || timeZoneName.contains("/"), TimeZone(identifier: timeZoneName) != nil else {
      throw AstroSvitlaError(
        .invalidValue, "a time zone is a name of the IANA database, such as Europe/Kyiv",
        ukrainian: "часовий пояс — це назва з бази IANA, наприклад Europe/Kyiv")
    }
    self.latitude = latitude
    self.longitude = longitude
    self.timeZoneName = timeZoneName
  }

  /// The moment that clocks there showed so. In an hour that clocks skipped: the moment that would have been meant; in
  /// one that they repeated: the first.
  public func moment(of day: BirthDay, at time: BirthTime) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: timeZoneName) ?? .gmt
    let parts = DateComponents(
      year: day.year, month: day.month, day: day.day, hour: time.minuteOfDay / 60, minute: time.minuteOfDay % 60)
    return calendar.date(from: parts) ?? day.date.addingTimeInterval(Double(time.minuteOfDay) * 60)
  }
}
