import ArgumentParser
import AstroSvitla
import Foundation

struct ReportList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List reports, the newest first.", discussion: Program.exitCodes)

  @Option(help: "Only those of this profile.")
  var profile: String?
  @OptionGroup var dates: DateOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try device.store(.readOnly)
    let charts = ChartService(store)
    let reports = ReportService(store, credits: CreditManager(store))
    let found =
      if let profile {
        try await reports.reports(profileIDs: charts.profileIDs(named: profile), in: dates.range, page.page)
      } else {
        try await reports.reports(in: dates.range, page.page)
      }
    if output.json { return try Report.json(found.map(ReportRow.init)) }
    try Report.table(
      output.phrases.reportHeader,
      found.map { report in
        [
          String(report.requestID.uuidString.prefix(8)), report.area.name(in: output.spoken),
          report.chartName ?? "–", report.languageCode, "\(report.wordCount)",
          output.phrases.moment(report.generatedAt),
          output.phrases.price(of: report),
        ]
      })
    try Report.line(output.phrases.balance(try await CreditManager(store).balance()))
  }
}
