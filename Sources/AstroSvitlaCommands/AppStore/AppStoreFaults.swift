import AppStoreTesting
import ArgumentParser

struct AppStoreFaults: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "Count the faults that have not acted yet, or take them away.",
    discussion: Program.exitCodes)

  @Flag(help: "Take them away.")
  var remove = false
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try await appStore.open()
    if remove { try await store.removeFaults() }
    let waiting = try await store.faultCount()
    if output.json { return try Report.json(["faults": waiting]) }
    try Report.line(output.phrases.faults(waiting))
  }
}
