import AppStoreTesting
import ArgumentParser

struct Refund: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Let the App Store take a purchase back, or reverse that.",
    discussion: """
      The app hears of it at its next launch (`open`): unused credits go, reports stay readable. A reversal gives the \
      credits back.


      """ + Program.exitCodes)

  @Argument(help: "The transaction's number, see history.")
  var transaction: UInt64
  @Flag(help: "Reverse a refund.")
  var reverse = false
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try await appStore.open()
    if reverse { try await store.reverseRefund(transaction) } else { try await store.refund(transaction) }
    if output.json { return try Report.json(["transaction": transaction]) }
    try Report.line(
      reverse ? output.phrases.storeReversed(transaction) : output.phrases.storeRefunded(transaction))
  }
}
