import AppStoreTesting
import Foundation
import StoreKit
import Testing

/// The example of the module's article, line for line.
@Suite struct `The article's example` {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-test-\(UUID())")
  private let products = fixtureURL("AstroSvitla.storekit")
  private let prices = fixtureURL("AstroSvitla.prices.json")

  @Test func `a credit that was paid is delivered after a lost answer`() async throws {
    defer { remove(folder) }
    let appStore = try await LocalAppStore.open(at: folder, bundleID: "com.example.app")
    try await appStore.setProducts(storeKitFile: Data(contentsOf: products), priceTable: Data(contentsOf: prices))
    try await appStore.addAccount("anna", storefront: "UKR")
    try await appStore.simulate(.losesAnswer(.networkError), on: .purchase)
    let phone = try await appStore.launch(account: "anna", device: "phone")
    try await AppStore.withClient(phone) {
      let shop = CreditShop()  // an app's own code, which says `import StoreKit`
      try await shop.load()
      await #expect(throws: StoreKitError.self) { try await shop.buy(.single, for: UUID()) }
      await shop.recover()  // looks into Transaction.unfinished
      #expect(await shop.balance == 1)
    }
  }
}
