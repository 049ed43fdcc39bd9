import ArgumentParser
import AstroSvitla
import Foundation

struct ChartRename: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a chart another name.", discussion: Program.exitCodes)

  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var chart: String
  @Argument(help: "1 to 50 characters.")
  var name: String
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = ChartService(try device.store(.readWrite))
    let id = try await service.chart(named: chart).id
    try await service.rename(id, to: name)
    let renamed = try await service.chart(named: id.uuidString)
    if output.json { return try Report.json(ChartRow(renamed)) }
    try Report.line(output.phrases.renamed(renamed.birth.name))
  }
}
