import AppStoreTesting
import ArgumentParser

struct AppStoreReset: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Forget all transactions, waiting purchases and faults; numbers start from 0 again.",
    discussion: """
      Accounts, devices and products stay. A device that knew the old transactions takes the new ones of their numbers \
      for delivered: begin with new device directories, too.


      """ + Program.exitCodes)

  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    try await appStore.open().reset()
    if output.json { return try Report.json(["reset": true]) }
    try Report.line(output.phrases.storeReset)
  }
}
