import AppStoreTesting
import ArgumentParser
import AstroSvitla

struct AppStoreBooks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "books", abstract: "List what the App Store has sold, whatever the apps know of it.",
    discussion: Program.exitCodes)

  @Flag(help: "Of all accounts.")
  var all = false
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let entries = try await appStore.open().entries(for: all ? nil : appStore.account)
    if output.json { return try Report.json(entries.map(Row.init)) }
    try Report.table(
      output.phrases.entryHeader,
      entries.map { entry in
        [
          "\(entry.id)", output.phrases.moment(entry.purchaseDate), entry.account, entry.device ?? "–",
          ProductName.short(entry.productID), "\(entry.quantity)",
          output.phrases.price(entry.price, entry.currency),
          output.phrases.state(isRefunded: entry.revocationDate != nil, isFinished: entry.isFinished),
        ]
      })
  }

  /// An entry as JSON; its price is a text, as in all answers.
  private struct Row: Encodable {
    var transaction: UInt64
    var account: String
    var device: String?
    var product: String
    var quantity: Int
    var price: String
    var currency: String
    var storefront: String
    var isRefunded: Bool
    var isFinished: Bool

    init(_ entry: LocalAppStore.Entry) {
      transaction = entry.id
      account = entry.account
      device = entry.device
      product = entry.productID
      quantity = entry.quantity
      price = "\(entry.price)"
      currency = entry.currency
      storefront = entry.storefront
      isRefunded = entry.revocationDate != nil
      isFinished = entry.isFinished
    }
  }
}
