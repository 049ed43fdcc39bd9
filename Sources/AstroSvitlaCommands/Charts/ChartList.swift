import ArgumentParser
import AstroSvitla
import Foundation

struct ChartList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List charts, the newest first.", discussion: Program.exitCodes)

  @Option(help: "newest, or name in the order of the alphabet.", transform: order)
  var sort: ChartService.Order = .newest
  @OptionGroup var page: PageOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let charts = try await ChartService(device.store(.readOnly)).charts(page.page, sortedBy: sort)
    if output.json { return try Report.json(charts.map(ChartRow.init)) }
    try Report.table(
      output.phrases.chartHeader,
      charts.map { chart in
        [
          String(chart.id.uuidString.prefix(8)), chart.birth.name, output.phrases.born(chart.birth),
          chart.birth.place.timeZoneName, chart.profileName ?? "–", "\(chart.reportCount)",
        ]
      })
  }

  @Sendable private static func order(_ text: String) throws -> ChartService.Order {
    guard let order = ChartService.Order(rawValue: text) else { throw ValidationError("--sort is newest or name") }
    return order
  }
}
