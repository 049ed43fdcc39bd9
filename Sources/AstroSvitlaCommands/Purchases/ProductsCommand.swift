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
    let (offers, plans) = (CreditOffer.all(among: products), products.compactMap { PlanOffer($0) })
    if output.json { return try Report.json(offers.map(Row.init) + plans.map(Row.init)) }
    try Report.table(
      output.phrases.productHeader,
      offers.map { offer in
        [
          offer.product.shortName, offer.displayName, "\(offer.product.credits)", offer.displayPrice,
          output.phrases.discount(offer) ?? "",
        ]
      } + plans.map { [$0.plan.shortName, $0.displayName, "–", $0.displayPrice, ""] })
  }

  private struct Row: Encodable {
    var id: String
    var name: String
    /// Nil for a plan.
    var credits: Int?
    var price: String
    var currency: String
    var displayPrice: String
    var discountPercent: Int

    init(_ offer: CreditOffer) {
      id = offer.product.rawValue
      name = offer.displayName
      credits = offer.product.credits
      price = "\(offer.price)"
      currency = offer.currencyCode
      displayPrice = offer.displayPrice
      discountPercent = offer.discountPercent
    }

    init(_ offer: PlanOffer) {
      id = offer.plan.rawValue
      name = offer.displayName
      price = "\(offer.price)"
      currency = offer.currencyCode
      displayPrice = offer.displayPrice
      discountPercent = 0
    }
  }
}
