import ArgumentParser

struct AppStoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "appstore", abstract: "Be the App Store: accounts, what goes wrong, its books, a new beginning.",
    discussion: Program.exitCodes,
    subcommands: [
      AppStoreAccounts.self, AppStoreAccount.self, AppStoreFault.self, AppStoreFaults.self, AppStoreBooks.self,
      AppStorePlan.self, AppStoreReset.self,
    ])
}
