import ArgumentParser
import AstroSvitla
import Foundation
import LocalizedTexts

struct ReportShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a report.", discussion: Program.exitCodes)

  @Argument(help: "The request's id, or the first four or more characters of it.")
  var request: String
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try device.store(.readOnly)
    let service = ReportService(store, credits: CreditManager(store))
    let matches = try await service.reports().filter {
      request.count >= 4 && $0.requestID.uuidString.hasPrefix(request.uppercased())
    }
    guard let match = matches.first else {
      throw AstroSvitlaError(.notFound, .noSuchReport)
    }
    guard matches.count == 1 else {
      throw AstroSvitlaError(.ambiguous, .ambiguousReport, .count(matches.count))
    }
    try ReportAnswer.print(
      match, paidBy: try await service.payment(of: match.requestID), output, withText: true)
  }
}
