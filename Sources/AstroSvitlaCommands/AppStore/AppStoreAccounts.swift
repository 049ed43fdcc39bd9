import AppStoreTesting
import ArgumentParser

struct AppStoreAccounts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List the accounts by name.", discussion: Program.exitCodes)

  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws { try AccountAnswer.print(try await appStore.open().accounts(), output) }
}

/// Accounts as a table or as JSON.
enum AccountAnswer {
  static func print(_ accounts: [LocalAppStore.Account], _ output: OutputOptions) throws {
    if output.json { return try Report.json(accounts) }
    let phrases = output.phrases
    try Report.table(
      phrases.accountHeader,
      accounts.map { account in
        [
          account.name, account.storefront, phrases.onOff(account.canMakePayments), phrases.onOff(account.asksToBuy),
          account.family ?? "–", account.devices.isEmpty ? "–" : account.devices.joined(separator: ", "),
        ]
      })
  }
}
