import ArgumentParser
import AstroSvitla
import Foundation

struct ReportAreas: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "areas", abstract: "Show which reports of a chart are owned, to be had, or locked.",
    discussion: Program.exitCodes)

  @Argument(help: "The chart: its name, its id, or the first four or more characters of the id.")
  var chart: String
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try device.store(.readOnly)
    let details = try await ChartService(store).chart(named: chart)
    let credits = CreditManager(store)
    let balance = try await credits.balance()
    let offers = try await ReportService(store, credits: credits)
      .offers(for: details.id, availableCredits: balance.available)
    if output.json { return try Report.json(offers) }
    let width = offers.map { $0.area.name(in: output.spoken).count }.max() ?? 0
    for offer in offers {
      let name = offer.area.name(in: output.spoken)
      let space = String(repeating: " ", count: width - name.count)
      try Report.line("\(name)\(space)  \(output.phrases.offer(offer.state))")
    }
    try Report.line(output.phrases.balance(balance))
  }
}
