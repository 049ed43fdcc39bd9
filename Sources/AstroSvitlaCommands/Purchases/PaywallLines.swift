import AppStoreTesting
import AstroSvitla

/// What a person without a credit is told: what is sold in the account's region, for how much, and how to buy it.
struct PaywallLines {
  let lines: [String]

  /// Asks the App Store, which is made if it is missing, as by `products`.
  init(_ appStore: AppStoreOptions, _ output: OutputOptions) async throws {
    let products = try await appStore.open().products(for: appStore.account, language: output.spoken.rawValue)
    let credits = CreditOffer.all(among: products).map { offer in
      [
        offer.displayName, offer.displayPrice, output.phrases.discount(offer),
        "astrosvitla buy \(offer.product.shortName)",
      ]
      .compactMap { $0 }.joined(separator: " · ")
    }
    let plans = products.compactMap { PlanOffer($0) }.map { offer in
      [offer.displayName, offer.displayPrice, "astrosvitla buy \(offer.plan.shortName)"].joined(separator: " · ")
    }
    lines = credits + plans
  }
}
