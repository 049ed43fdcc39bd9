import ArgumentParser
import AstroSvitla

struct Credits: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show how many credits are free, spent, refunded, overdrawn.", discussion: Program.exitCodes)

  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let balance = try await CreditManager(device.store(.readOnly)).balance()
    if output.json { return try Report.json(balance) }
    try Report.line(output.phrases.balance(balance))
  }
}
