import ArgumentParser
import AstroSvitla
import Foundation

struct ChartList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List charts by name.", discussion: Program.exitCodes)

  @OptionGroup var page: PageOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let charts = try await ChartService(device.store(.readOnly)).charts(page.page)
    if output.json { return try Report.json(charts.map(ChartRow.init)) }
    try Report.table(
      output.phrases.chartHeader,
      charts.map { chart in
        [
          String(chart.id.uuidString.prefix(8)), chart.birth.name, "\(chart.birth.day) \(chart.birth.time)",
          chart.birth.place.timeZoneName, chart.profileName ?? "–", "\(chart.reportCount)",
        ]
      })
  }
}
