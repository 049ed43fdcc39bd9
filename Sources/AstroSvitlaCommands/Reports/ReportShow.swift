import ArgumentParser
import AstroSvitla
import Foundation

struct ReportShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a report.", discussion: Program.exitCodes)

  @Argument(help: "The request's id, or the first four or more characters of it.")
  var request: String
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try device.store(.readOnly)
    let reports = try await ReportService(store, credits: CreditManager(store)).reports()
    let matches = reports.filter { request.count >= 4 && $0.requestID.uuidString.hasPrefix(request.uppercased()) }
    guard let match = matches.first else {
      throw AstroSvitlaError(
        .notFound, "there is no such report: see astrosvitla report list",
        ukrainian: "такого звіту немає: див. astrosvitla report list")
    }
    guard matches.count == 1 else {
      throw AstroSvitlaError(
        .ambiguous, "\(matches.count) reports begin so: give more of the request's id",
        ukrainian: "так починаються кілька звітів (\(matches.count)): подайте більше знаків ідентифікатора запиту")
    }
    try ReportAnswer.print(match, output, withText: true)
  }
}
