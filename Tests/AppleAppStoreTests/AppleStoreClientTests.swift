import AppStorePurchases
import AppStoreTesting
import AppleAppStore
import Foundation
import Testing

/// The adapter for Apple's StoreKit, over the shim: what it reads through StoreKit's names is what the local App Store
/// says, and what it does there arrives.
struct AppleStoreClientTests {
  private static let product = "com.astrosvitla.report.credit.single"

  /// A local App Store, connected as StoreKit's, and the adapter in front of it.
  private func withAdapter(_ body: (LocalAppStore, AppleStoreClient) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-test-\(UUID())")
    let appStore = try await LocalAppStore.open(
      at: folder, bundleID: "com.astrosvitla.app", options: .init(durability: .unsafeNoFlush, seed: 11))
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let fixtures = tests.appending(path: "AppStorePurchasesTests/Fixtures")
    try await appStore.setProducts(
      storeKitFile: Data(contentsOf: fixtures.appending(path: "AstroSvitla.storekit")),
      priceTable: Data(contentsOf: fixtures.appending(path: "AstroSvitla.prices.json")))
    try await appStore.addAccount("olha", storefront: "UKR")
    let local = try await appStore.launch(account: "olha", device: "phone", language: "en")
    let configuration = try await local.verifierConfiguration()
    let client = AppleStoreClient(verifier: TransactionVerifier(configuration))
    try await AppStore.withClient(local) { try await body(appStore, client) }
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `products come through with all that they say`() async throws {
    try await withAdapter { _, adapter in
      let direct = try await AppStore.client.products(for: [Self.product])
      let adapted = try await adapter.products(for: [Self.product, "com.example.unknown"])
      #expect(adapted == direct && adapted.count == 1)
      #expect(adapted[0].price == 199 && adapted[0].priceFormatStyle.currencyCode == "UAH")
      #expect(try await adapter.currentStorefront()?.countryCode == "UKR")
      #expect(adapter.canMakePayments)
    }
  }

  @Test func `a purchase is verified, listed and finished`() async throws {
    try await withAdapter { appStore, adapter in
      let product = try #require(try await adapter.products(for: [Self.product]).first)
      let account = UUID()
      let request = try PurchaseRequest(product, options: [.quantity(3), .appAccountToken(account)])
      guard case .success(.verified(let transaction)) = try await adapter.purchase(request) else {
        Issue.record("the purchase was not verified")
        return
      }
      #expect(transaction.purchasedQuantity == 3 && transaction.appAccountToken == account)
      #expect(try await ids(adapter.transactions(.unfinished)) == [transaction.id])
      #expect(try await ids(adapter.transactions(.history(productID: Self.product))) == [transaction.id])
      #expect(try await ids(adapter.transactions(.history(productID: "com.example.unknown"))).isEmpty)
      #expect(try await ids(adapter.transactions(.currentEntitlements)).isEmpty)
      #expect(try await adapter.latestTransaction(for: Self.product)?.unsafePayloadValue.id == transaction.id)
      try await adapter.finish(transaction)
      #expect(try await ids(adapter.transactions(.unfinished)).isEmpty)
      #expect(try await appStore.entries().map(\.isFinished) == [true])
      // Finishing once more is no error.
      try await adapter.finish(transaction)
    }
  }

  @Test func `updates bring what was bought elsewhere`() async throws {
    try await withAdapter { appStore, adapter in
      let updates = adapter.transactionUpdates()
      let laptop = try await appStore.launch(account: "olha", device: "laptop", language: "en")
      let product = try #require(try await laptop.products(for: [Self.product]).first)
      _ = try await laptop.purchase(PurchaseRequest(product))
      var iterator = updates.makeAsyncIterator()
      let update = try #require(try await iterator.next())
      #expect(try update.payloadValue.productID == Self.product)
    }
  }

  @Test func `errors are the ones that StoreKit throws`() async throws {
    try await withAdapter { appStore, adapter in
      let product = try #require(try await adapter.products(for: [Self.product]).first)
      try await appStore.simulate(.fails(.notAvailableInStorefront), on: .purchase)
      do {
        _ = try await adapter.purchase(PurchaseRequest(product))
        Issue.record("the purchase went through")
      } catch StoreKitError.notAvailableInStorefront {
        #expect(try await appStore.entries().isEmpty)
      }
      let error = await #expect(throws: StoreKitError.self) { try await adapter.beginRefundRequest(transactionID: 0) }
      #expect(error?.description == StoreKitError.unsupported.description)
    }
  }

  private func ids(_ stream: TransactionStream) async throws -> [UInt64] {
    var found: [UInt64] = []
    for try await result in stream { found.append(try result.payloadValue.id) }
    return found
  }
}
