import ArgumentParser
import AstroSvitla
import Foundation

struct ProfileRename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a profile another name.", discussion: Program.exitCodes)

  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var profile: String
  @Argument(help: "1 to 50 characters.")
  var name: String
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = ChartService(try device.store(.readWrite))
    let id = try await service.profile(named: profile).id
    try await service.renameProfile(id, to: name)
    let renamed = try await service.profile(named: id.uuidString)
    if output.json { return try Report.json(renamed) }
    try Report.line(output.phrases.renamed(renamed.name))
  }
}
