import ArgumentParser
import AstroSvitla
import Tandem

struct Open: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Launch the app: deliver what a crash, an approval or a refund left to do.",
    discussion: """
      With --follow it stays open, delivers what arrives, and prints the credits whenever they change, also by another \
      process or a synchronisation, until Ctrl-C.


      """ + Program.exitCodes)

  @Flag(help: "Stay open.")
  var follow = false
  @OptionGroup var device: DeviceOptions
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try device.store(.readWrite)
    let service = try await appStore.service(device, output)
    let report = try await service.launch(listens: follow)
    if output.json {
      try Report.json(RecoveryAnswer(report))
    } else {
      for line in RecoveryLines(report, output.phrases).lines { try Report.line(line) }
      try Report.line(output.phrases.balance(report.balance))
    }
    if follow { try await followBalance(store, after: report.balance) }
    withExtendedLifetime(service) {}
  }

  private func followBalance(_ store: AstroSvitlaStore, after balance: CreditBalance) async throws {
    var last = balance
    let credits = CreditManager(store)
    for try await _ in store.container.changes {
      let now = try await credits.balance()
      guard now != last else { continue }
      last = now
      if output.json { try Report.json(now) } else { try Report.line(output.phrases.balance(now)) }
    }
  }
}
