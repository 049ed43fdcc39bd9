public import Foundation
public import Tandem

/// One birth and its sky, as stored. The sky is JSON that is decoded only when ``natalChart()`` is called.
@Model
public final class BirthChart {
  #Index<BirthChart>([\.createdAt])
  /// The same on every device.
  @Attribute(.unique) public private(set) var id: UUID
  /// 1 to 50 characters.
  public private(set) var name: String
  /// Midnight in UTC of the day, see ``BirthDay``.
  public private(set) var birthDate: Date
  /// 0 to 1439, see ``BirthTime``; noon where the time is not known.
  public private(set) var birthMinute: Int
  /// Whether nobody knows the time. Builds before 0.2 stored no such charts.
  public private(set) var isBirthTimeUnknown: Bool = false
  /// -90 to 90.
  public private(set) var latitude: Double
  /// -180 to 180, east positive.
  public private(set) var longitude: Double
  /// A name of the IANA database.
  public private(set) var timeZoneName: String
  /// What people call the place; nil where nobody said.
  public private(set) var locationName: String?
  /// The JSON of a ``NatalChart``, 5 to 10 KB.
  public private(set) var chartData: Data
  /// When the chart was added.
  public private(set) var createdAt: Date
  /// When it was last renamed or calculated anew; nil as long as it is as it was made.
  public private(set) var updatedAt: Date?
  /// When the sky was last calculated or taken from a file; nil for charts of builds before 0.2.
  public private(set) var calculatedAt: Date?
  /// The installation that added it.
  public var user: User?
  /// For whom the chart is; nil for nobody in particular.
  public var profile: UserProfile?
  /// The reports that were bought; deleted with the chart.
  @Relationship(deleteRule: .cascade, inverse: \ReportPurchase.chart) public var reports: [ReportPurchase] = []

  /// Creates a chart of a birth and its sky. Throws what encoding the sky throws.
  public init(
    id: UUID = UUID(), birth: BirthDetails, chart: NatalChart, createdAt: Date = .now, user: User,
    profile: UserProfile? = nil
  ) throws {
    let data = try chart.data
    self.id = id
    name = birth.name
    birthDate = birth.day.date
    birthMinute = (birth.time ?? .noon).minuteOfDay
    isBirthTimeUnknown = birth.time == nil
    latitude = birth.place.latitude
    longitude = birth.place.longitude
    timeZoneName = birth.place.timeZoneName
    locationName = birth.place.name
    chartData = data
    calculatedAt = createdAt
    self.createdAt = createdAt
    self.user = user
    self.profile = profile
  }

  /// Gives the chart another name. Throws `invalidValue` when the name is outside its limits; the chart keeps its name.
  public func updateChartName(_ name: String, at date: Date = .now) throws {
    let checked = try PersonName.checked(name)
    guard self.name != checked else { return }
    self.name = checked
    updatedAt = date
  }

  /// Replaces the sky. Throws what encoding the chart throws; the chart keeps its sky.
  public func updateChartData(_ chart: NatalChart, at date: Date = .now) throws {
    chartData = try chart.data
    updatedAt = date
    calculatedAt = date
  }

  /// The time that clocks showed; nil where nobody knows it. Throws `invalidValue` when another program stored
  /// something outside the limits.
  public var birthTime: BirthTime? {
    get throws { isBirthTimeUnknown ? nil : try BirthTime(minuteOfDay: birthMinute) }
  }

  /// The moment of birth; nil where nobody knows the time. Throws as ``birth`` does.
  public var birthDateTime: Date? {
    get throws {
      let birth = try birth
      return birth.time.map { birth.place.moment(of: birth.day, at: $0) }
    }
  }

  /// The birth as a checked value. Throws `invalidValue` when another program stored something outside the limits.
  public var birth: BirthDetails {
    get throws {
      try BirthDetails(
        name: name, day: BirthDay(birthDate), time: birthTime,
        place: BirthPlace(
          latitude: latitude, longitude: longitude, timeZoneName: timeZoneName, name: locationName))
    }
  }

  /// Decodes ``chartData``. Throws `invalidValue` when it is not a chart.
  public func natalChart() throws -> NatalChart { try NatalChart(data: chartData) }

  /// Whether a report about the area was bought, under any of the area's names.
  public func hasPurchased(area: ReportArea) -> Bool { reports.contains { $0.isForArea(area) } }
}
