import AppStoreTesting
import AstroSvitla
import Foundation
import Observation
import Testing

/// What a paywall's view observes.
@MainActor @Suite struct PaywallModelTests {
  @Test func `it shows offers and credits, and buying changes them`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let paywall = PaywallModel(phone.store, purchases: phone.purchases)
      #expect(paywall.offers.isEmpty && paywall.product == nil)
      await paywall.load()
      #expect(paywall.offers.map(\.discountPercent) == [0, 20, 30])
      #expect(paywall.product?.displayPrice == "$4.99" && paywall.availableCredits == 0 && paywall.error == nil)
      await paywall.buy()
      #expect(paywall.availableCredits == 1 && !paywall.isPurchasing && paywall.error == nil)
    }
  }

  @Test func `the example of its comment buys a credit`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let (store, purchases) = (phone.store, phone.purchases)

      let paywall = PaywallModel(store, purchases: purchases)
      await paywall.load()
      await paywall.buy()
      let credits = paywall.availableCredits
      #expect(credits == 1)
    }
  }

  @Test func `what goes wrong is a message, cancelling is silent, and the next success clears it`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let paywall = PaywallModel(phone.store, purchases: phone.purchases)
      try await shop.appStore.simulate(.fails(.networkError), on: .purchase)
      await paywall.buy()
      #expect(paywall.error == PurchaseMessage(.network) && !paywall.isPurchasing)
      try await shop.appStore.simulate(.cancels, on: .purchase)
      await paywall.buy()
      #expect(paywall.error == nil && paywall.availableCredits == 0)
      try await shop.appStore.simulate(.interrupts(throwsUnknown: false), on: .purchase)
      await paywall.buy(.packOfFive)
      #expect(paywall.error == PurchaseMessage(.waitingForApproval))
      await paywall.buy(.packOfFive)
      #expect(paywall.error == nil && paywall.availableCredits == 5)
    }
  }

  @Test func `credits that another part of the app delivers are followed`() async throws {
    try await Shop.open { shop in
      let (phone, other) = (try await shop.device("phone"), try await shop.device("phone"))
      let paywall = PaywallModel(phone.store, purchases: phone.purchases)
      let following = Task { try await paywall.follow() }
      _ = try await other.purchases.buy(.packOfTen)
      for await credits in Observations({ paywall.availableCredits }) where credits == 10 { break }
      following.cancel()
      #expect(paywall.availableCredits == 10)
    }
  }
}
