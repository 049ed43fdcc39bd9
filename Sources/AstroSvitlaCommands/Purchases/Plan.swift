import ArgumentParser
import AstroSvitla
import Foundation

struct Plan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show whether a plan runs, under which reports cost no credit.",
    discussion: """
      It is bought by `buy monthly`. What the App Store did since the last launch is heard by `open`.


      """ + Program.exitCodes)

  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let standing = try await PurchaseHistory(device.store(.readOnly)).plan()
    if output.json { return try Report.json(standing) }
    try Report.line(output.phrases.plan(standing))
  }
}
