import AppStoreTesting
import Foundation
import StoreKit
import Testing

/// The examples of the articles AppStorePurchases and AppStoreTesting.
@Suite final class `The articles' examples` {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-test-\(UUID())")
  private let products = fixtureURL("AstroSvitla.storekit")
  private let prices = fixtureURL("AstroSvitla.prices.json")

  deinit { remove(folder) }

  @Test func `a credit that was paid is delivered after a lost answer`() async throws {
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

  private var delivered: [Transaction] = []

  private func deliver(_ transaction: Transaction) async throws { delivered.append(transaction) }

  private func buyOneCredit(for user: UUID) async throws {
    let products = try await Product.products(for: ["com.astrosvitla.report.credit.single"])
    guard let product = products.first else { return }

    switch try await product.purchase(options: [.appAccountToken(user)]) {
    case .success(.verified(let transaction)):
      try await deliver(transaction)  // once for each (environment, bundle id, transaction id)
      await transaction.finish()  // only when the delivery is committed
    case .success(.unverified): break  // deliver nothing, finish nothing
    case .pending, .userCancelled: break  // nothing was delivered; it may arrive through Transaction.updates
    }
  }

  @Test func `a purchase is delivered and finished`() async throws {
    let appStore = try await LocalAppStore.open(at: folder, bundleID: "com.example.app")
    try await appStore.setProducts(storeKitFile: Data(contentsOf: products), priceTable: Data(contentsOf: prices))
    try await appStore.addAccount("anna", storefront: "UKR")
    let client = try await appStore.launch(account: "anna", device: "phone")
    let user = UUID()
    try await AppStore.withClient(client) { try await buyOneCredit(for: user) }
    #expect(delivered.map(\.appAccountToken) == [user])
    #expect(try await appStore.entries().map(\.isFinished) == [true])
  }
}
