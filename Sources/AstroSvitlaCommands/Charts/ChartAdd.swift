import ArgumentParser
import AstroSvitla
import Foundation

struct ChartAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a birth chart.",
    discussion: """
      The positions come from a JSON file: longitude and speed of the ten planets, cusps of the twelve houses, as in \
      SyncFixtures/charts/olena.json. Signs, houses, aspects and their motion are worked out.


      """ + Program.exitCodes)

  @Argument(help: "1 to 50 characters.")
  var name: String
  @Option(
    help: ArgumentHelp("The day, 1900-01-01 to 2100-12-31.", valueName: "day"),
    transform: OutputOptions.reading(BirthDay.init(iso:)))
  var date: BirthDay
  @Option(help: "The time to the minute, such as 07:45.", transform: OutputOptions.reading(BirthTime.init(iso:)))
  var time: BirthTime
  @Option(parsing: .unconditional, help: "-90 to 90.")
  var latitude: Double
  @Option(parsing: .unconditional, help: "-180 to 180, east positive.")
  var longitude: Double
  @Option(help: "A name of the IANA database, such as Europe/Kyiv.")
  var timeZone: String
  @Option(help: ArgumentHelp("The file of positions.", valueName: "file"), completion: .file(extensions: ["json"]))
  var positions: String
  @Option(help: "For whom the chart is; a new profile if there is none of this name.")
  var profile: String?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let birth = try BirthDetails(
      name: name, day: date, time: time,
      place: BirthPlace(latitude: latitude, longitude: longitude, timeZoneName: timeZone))
    let chart = try NatalChart(data: read(positions))
    let added = try await ChartService(device.store(.readWrite)).add(birth, chart: chart, profileName: profile)
    if output.json { return try Report.json(ChartRow(added)) }
    try Report.line(output.phrases.chartAdded(added.birth.name, added.id.uuidString))
  }

  private func read(_ path: String) throws -> Data {
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch {
      throw AstroSvitlaError(
        .unreadableFile, "cannot read the positions at \(path): check the path",
        ukrainian: "не вдається прочитати позиції з \(path): перевірте шлях", cause: error.localizedDescription)
    }
  }
}

/// A chart as JSON.
struct ChartRow: Encodable {
  var id: UUID
  var name: String
  var date: String
  var time: String
  var latitude: Double
  var longitude: Double
  var timeZone: String
  var profile: String?
  var reports: Int

  init(_ chart: ChartDetails) {
    id = chart.id
    name = chart.birth.name
    date = chart.birth.day.description
    time = chart.birth.time.description
    latitude = chart.birth.place.latitude
    longitude = chart.birth.place.longitude
    timeZone = chart.birth.place.timeZoneName
    profile = chart.profileName
    reports = chart.reportCount
  }
}
