import ArgumentParser
import AstroSvitla
import Foundation
import LocalizedTexts
import NatalChartCalculation
import RecordStore

struct ChartAdd: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a birth chart: planets, houses and aspects are calculated.",
    discussion: """
      The place is a city of `chart places` or of the file of --places, or degrees and a time zone. Beyond \
      the polar circles choose --houses equal.

      With --time unknown the chart is that of the day: without houses, ascendant and midheaven, with the way of each \
      planet on that day.

      With --positions the sky comes from a JSON file: longitude and speed of the ten planets, cusps of the twelve \
      houses, as in SyncFixtures/charts/olena.json. It is refused when a planet is more than half a degree, or the \
      ascendant more than three degrees, from what is calculated for the birth.


      """ + Program.exitCodes)

  @Argument(help: "1 to 50 characters.")
  var name: String
  @OptionGroup var birth: BirthOptions
  @OptionGroup var houses: HouseOptions
  @Option(
    help: ArgumentHelp("Take the sky from this file.", valueName: "file"), completion: .file(extensions: ["json"]),
    transform: Report.path)
  var positions: String?
  @Option(help: "For whom the chart is; a new profile if there is none of this name.")
  var profile: String?
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let details = try BirthDetails(name: name, day: birth.date, time: birth.time.time, place: birth.birthPlace())
    let chart = try positions.map { try given($0, for: details) } ?? NatalChart(of: details, houses: houses.houses)
    let added = try await ChartService(device.store(.readWrite)).add(details, chart: chart, profileName: profile)
    for note in try birth.notes(details, output.phrases) { Program.report(note) }
    if output.json { return try Report.json(ChartRow(added)) }
    try Report.line(output.phrases.chartAdded(added.birth.name, added.id.uuidString))
  }

  /// A chart of a file, held against the birth.
  private func given(_ path: String, for birth: BirthDetails) throws -> NatalChart {
    let chart = try NatalChart(data: read(path))
    try chart.check(against: birth)
    return chart
  }

  private func read(_ path: String) throws -> Data {
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch {
      throw AstroSvitlaError(.unreadableFile, .positionsUnreadable, .text(path), cause: error.systemReason)
    }
  }
}
