import ArgumentParser
import AstroSvitla
import Foundation

struct ProfileList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List profiles by name.", discussion: Program.exitCodes)

  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let profiles = try await ChartService(device.store(.readOnly)).profiles()
    if output.json { return try Report.json(profiles) }
    try Report.table(
      output.phrases.profileHeader,
      profiles.map { [String($0.id.uuidString.prefix(8)), $0.name, "\($0.chartCount)", "\($0.reportCount)"] })
  }
}
