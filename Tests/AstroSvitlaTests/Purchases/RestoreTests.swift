import AppStorePurchases
import AppStoreTesting
import AstroSvitla
import Foundation
import Testing

/// Restoring once delivered every finished consumable that a device did not know, so that credits which were spent came
/// back with each new device: reports for nothing, as often as somebody liked. It recovers what was interrupted, only.
@Suite struct RestoreTests {
  private func reinstall(_ shop: Shop, _ name: String) async throws -> Device {
    try FileManager.default.removeItem(at: shop.url(of: name))
    return try await shop.device(name)
  }

  @Test(arguments: CreditProduct.allCases)
  func `what was delivered and spent is not given back to an app that was installed anew`(
    product: CreditProduct
  ) async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(product)
      for number in 0..<product.credits { try await phone.report(number) }
      for _ in 0..<3 {
        let again = try await reinstall(shop, "phone")
        let report = try await again.purchases.restore()
        #expect(report.creditsDelivered == 0 && report.balance.available == 0 && report.balance.purchased == 0)
        #expect(try await again.purchases.launch(listens: false).balance.available == 0)
      }
    }
  }

  @Test func `a second device that never synchronises gets nothing of what the first one was delivered`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.packOfFive)
      try await phone.report(1)
      let laptop = try await shop.device("laptop")
      #expect(try await laptop.purchases.restore().balance.purchased == 0)
      // A refund and its reversal of a purchase that it never had bring nothing either, at launch or while it runs.
      let id = try #require(try await shop.appStore.entries().first).id
      try await shop.appStore.refund(id)
      #expect(try await laptop.purchases.restore().balance.purchased == 0)
      await laptop.purchases.listen()
      try await shop.appStore.reverseRefund(id)
      let bought = try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account)
      try await laptop.waitUntil { try await laptop.credits.availableCount() == 1 }
      #expect(try await laptop.purchases.restore().balance.purchased == 1)
      #expect(try await laptop.history.purchases().map(\.key.transactionID) == [bought])
    }
  }

  @Test func `credits reach the second device by synchronising, and restoring adds none`() async throws {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      _ = try await phone.purchases.buy(.packOfFive)
      try await phone.report(1)
      try await shop.synchronize("phone", "laptop")
      #expect(try await laptop.purchases.restore().balance.available == 4)
      try await shop.synchronize("phone", "laptop")
      for device in [phone, laptop] { #expect(try await device.balance().available == 4) }
    }
  }

  @Test func `a purchase whose delivery a crash prevented is recovered once, and says so`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(.losesAnswer(.networkError), on: .purchase)
      let error = await #expect(throws: StoreKitError.self) { try await phone.purchases.buy(.packOfFive) }
      #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
      #expect(try await phone.purchases.restore().creditsDelivered == 5)
      #expect(try await phone.purchases.restore().creditsDelivered == 0)
      let purchase = try #require(try await phone.history.purchases().first)
      #expect(purchase.delivery == .recovery && purchase.restoredAt != nil)
    }
  }

  @Test func `a purchase that was approved while the app was closed is recovered by an app that was installed anew`()
    async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let asking: Set<Product.PurchaseOption> = [.simulatesAskToBuyInSandbox(true)]
      #expect(try await phone.purchases.buy(.packOfFive, options: asking) == .pending)
      try await shop.appStore.approve(try #require(try await shop.appStore.waitingPurchases().first).id)
      let again = try await reinstall(shop, "phone")
      #expect(try await again.purchases.restore().creditsDelivered == 5)
    }
  }

  @Test(arguments: [StoreCall.sync, .unfinished, .history])
  func `a network that fails while restoring costs nothing, and the next attempt goes on`(call: StoreCall) async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account)
      try await shop.appStore.simulate(.fails(.networkError), on: call)
      let error = await #expect(throws: StoreKitError.self) { try await phone.purchases.restore() }
      #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
      #expect(try await phone.purchases.restore().balance.available == 5)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
    }
  }
}
