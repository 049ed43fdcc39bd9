import ArgumentParser
import AstroSvitla

struct ProfileDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a profile; its charts and their reports stay.",
    discussion: Program.exitCodes)

  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var profile: String
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = ChartService(try device.store(.readWrite))
    let details = try await service.profile(named: profile)
    try await service.deleteProfile(details.id)
    if output.json { return try Report.json(details) }
    try Report.line(output.phrases.deleted(details.name))
  }
}
