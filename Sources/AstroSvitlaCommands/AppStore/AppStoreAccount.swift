import AppStoreTesting
import ArgumentParser

struct AppStoreAccount: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Change the account of --account: its region, what it may do, its family.",
    discussion: """
      With --ask-to-buy on, every purchase waits for `approve` or `decline`. With --purchases off, none can be made.


      """ + Program.exitCodes)

  /// A switch of an account.
  enum Switch: String, ExpressibleByArgument { case on, off }

  @Option(help: "Its region, such as UKR.")
  var storefront: String?
  @Option(help: "on or off: whether it may buy.")
  var purchases: Switch?
  @Option(help: "on or off: whether somebody must agree to each purchase.")
  var askToBuy: Switch?
  @Option(help: "The family that it belongs to.")
  var family: String?
  @Flag(help: "Take it out of its family.")
  var noFamily = false
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if family != nil, noFamily { throw ValidationError("choose one of --family and --no-family") }
  }

  func run() async throws {
    let (store, name) = (try await appStore.open(), appStore.account)
    if let storefront { try await store.setStorefront(storefront, for: name) }
    if let purchases { try await store.setCanMakePayments(purchases == .on, for: name) }
    if let askToBuy { try await store.setAsksToBuy(askToBuy == .on, for: name) }
    if family != nil || noFamily { try await store.setFamily(family, for: name) }
    try AccountAnswer.print(try await store.accounts().filter { $0.name == name }, output)
  }
}
