import ArgumentParser
import AstroSvitla

struct Restore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Recover interrupted purchases: paid for, and delivered to no device.",
    discussion: """
      Credits that another device has received come by synchronising: tandem sync.


      """ + Program.exitCodes)

  @OptionGroup var device: DeviceOptions
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = try await appStore.service(device, output)
    let report = try await service.restore()
    if output.json { return try Report.json(RecoveryAnswer(report)) }
    for line in RecoveryLines(report, output.phrases).lines { try Report.line(line) }
    try Report.line(output.phrases.balance(report.balance))
  }
}
