public import Foundation
public import Tandem

/// One birth and its sky, as stored. The sky is JSON that is decoded only when ``natalChart()`` is called.
@Model
public final class BirthChart {
  @Attribute(.unique) public private(set) var id: UUID
  /// 1 to 50 characters.
  public private(set) var name: String
  /// Midnight in UTC of the day, see ``BirthDay``.
  public private(set) var birthDate: Date
  /// 0 to 1439, see ``BirthTime``.
  public private(set) var birthMinute: Int
  public private(set) var latitude: Double
  public private(set) var longitude: Double
  /// A name of the IANA database.
  public private(set) var timeZoneName: String
  /// What people call the place; nil where nobody said.
  public private(set) var locationName: String?
  /// The JSON of a ``NatalChart``, 5 to 10 KB.
  public private(set) var chartData: Data
  public private(set) var createdAt: Date
  /// When it was last renamed or calculated anew; nil as long as it is as it was made.
  public private(set) var updatedAt: Date?
  public var user: User?
  public var profile: UserProfile?
  @Relationship(deleteRule: .cascade, inverse: \ReportPurchase.chart) public var reports: [ReportPurchase] = []

  /// Throws what encoding the chart throws.
  public init(
    id: UUID, birth: BirthDetails, chart: NatalChart, createdAt: Date, user: User, profile: UserProfile?
  ) throws {
    let data = try chart.data
    self.id = id
    name = birth.name
    birthDate = birth.day.date
    birthMinute = birth.time.minuteOfDay
    latitude = birth.place.latitude
    longitude = birth.place.longitude
    timeZoneName = birth.place.timeZoneName
    locationName = birth.place.name
    chartData = data
    self.createdAt = createdAt
    self.user = user
    self.profile = profile
  }

  /// Throws `invalidValue` when the name is outside its limits.
  func rename(_ name: String, at date: Date) throws {
    let checked = try PersonName.checked(name)
    guard self.name != checked else { return }
    self.name = checked
    updatedAt = date
  }

  /// Replaces the sky. Throws what encoding the chart throws.
  func replace(_ chart: NatalChart, at date: Date) throws {
    chartData = try chart.data
    updatedAt = date
  }

  /// The birth as a checked value. Throws `invalidValue` when another program stored something outside the limits.
  public var birth: BirthDetails {
    get throws {
      try BirthDetails(
        name: name, day: BirthDay(birthDate), time: BirthTime(minuteOfDay: birthMinute),
        place: BirthPlace(
          latitude: latitude, longitude: longitude, timeZoneName: timeZoneName, name: locationName))
    }
  }

  /// Decodes ``chartData``. Throws `invalidValue` when it is not a chart.
  public func natalChart() throws -> NatalChart { try NatalChart(data: chartData) }
}
