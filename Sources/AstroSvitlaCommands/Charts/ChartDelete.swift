import ArgumentParser
import AstroSvitla
import LocalizedTexts

struct ChartDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a chart.",
    discussion: """
      A chart with reports, which were paid, is deleted only --with-reports; their credits stay spent.


      """ + Program.exitCodes)

  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var chart: String
  @Flag(help: "Delete the chart's reports, too.")
  var withReports = false
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = ChartService(try device.store(.readWrite))
    let details = try await service.chart(named: chart)
    guard details.reportCount == 0 || withReports else {
      throw AstroSvitlaError(.invalidValue, .chartHasReports, .count(details.reportCount))
    }
    try await service.delete(details.id)
    if output.json { return try Report.json(ChartRow(details)) }
    try Report.line(output.phrases.deleted(details.birth.name))
  }
}
