import ArgumentParser
import AstroSvitla
import NatalChartCalculation

struct ChartRecalculate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recalculate", abstract: "Calculate a chart's sky anew, in place of the one that is kept.",
    discussion: """
      For charts whose positions came from a file, and for another division into houses. Reports stay as they were \
      written.


      """ + Program.exitCodes)

  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var chart: String
  @OptionGroup var houses: HouseOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = ChartService(try device.store(.readWrite))
    let details = try await service.chart(named: chart)
    try await service.recalculate(details.id, chart: NatalChart(of: details.birth, houses: houses.houses))
    if output.json { return try Report.json(ChartRow(details)) }
    try Report.line(output.phrases.recalculated(details.birth.name))
  }
}
