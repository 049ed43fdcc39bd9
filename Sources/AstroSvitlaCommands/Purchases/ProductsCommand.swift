import AppStorePurchases
import AppStoreTesting
import ArgumentParser
import AstroSvitla
import Foundation

struct ProductsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "products", abstract: "List what is sold in the account's region.", discussion: Program.exitCodes)

  @Option(help: "Move the account to this region first, such as UKR.")
  var storefront: String?
  @OptionGroup var appStore: AppStoreOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let store = try await appStore.open()
    if let storefront { try await store.setStorefront(storefront, for: appStore.account) }
    let products = try await store.products(for: appStore.account, language: output.spoken.rawValue)
      .filter { CreditProduct.ids.contains($0.id) }.sorted { $0.price < $1.price }
    if output.json { return try Report.json(products.map(Row.init)) }
    try Report.table(
      output.phrases.productHeader,
      products.map { product in
        let known = CreditProduct(rawValue: product.id)
        return [known?.shortName ?? product.id, product.displayName, "\(known?.credits ?? 0)", product.displayPrice]
      })
  }

  private struct Row: Encodable {
    var id: String
    var name: String
    var credits: Int?
    var price: String
    var currency: String
    var displayPrice: String

    init(_ product: Product) {
      id = product.id
      name = product.displayName
      credits = CreditProduct(rawValue: product.id)?.credits
      price = "\(product.price)"
      currency = product.priceFormatStyle.currencyCode
      displayPrice = product.displayPrice
    }
  }
}
