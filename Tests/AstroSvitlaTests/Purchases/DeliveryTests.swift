import AppStorePurchases
import AppStoreTesting
import AstroSvitla
import Foundation
import Tandem
import Testing

@Suite struct DeliveryTests {
  @Test(arguments: CreditProduct.allCases)
  func `each product brings its credits once, and is finished`(product: CreditProduct) async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      let outcome = try await phone.purchases.buy(product)
      guard case .completed(.delivered(let key, let credits), isFinished: true) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(credits == product.credits)
      #expect(try await phone.credits.availableCount() == product.credits)
      #expect(try await phone.purchases.isProcessed(key))
      let entry = try #require(try await shop.appStore.entries().first)
      #expect(entry.isFinished && entry.finishCount == 1)
      #expect(entry.appAccountToken == phone.store.installation.id)
      #expect(try phone.count(FinishNote.self) == 0)
      let purchase = try #require(try await phone.history.purchases().first)
      #expect(purchase.price == entry.price && purchase.currencyCode == entry.currency)
      #expect(purchase.delivery == .purchase && purchase.finishedAt != nil && purchase.restoredAt == nil)
    }
  }

  @Test func `a quantity of three packs is fifteen credits, at the price of the region`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.setStorefront("UKR", for: Shop.account)
      _ = try await phone.purchases.buy(.single, quantity: 3)
      try await shop.appStore.setStorefront("USA", for: Shop.account)
      _ = try await phone.purchases.buy(.packOfFive, quantity: 3)
      #expect(try await phone.credits.availableCount() == 18)
      let history = try await phone.history.purchases()
      #expect(history.map(\.storefront) == ["USA", "UKR"])
      #expect(history.map(\.price) == [Decimal(string: "59.97"), 597])
      let statistics = try await phone.history.statistics()
      #expect(statistics.spent == ["USD": try #require(Decimal(string: "59.97")), "UAH": 597])
      #expect(statistics.purchaseCount == 2)
    }
  }

  @Test func `what arrives as the result, three times in the updates and at launch counts once`() async throws {
    try await Shop.open { shop in
      try await shop.appStore.setUpdateDelivery(copies: 3, echoesPurchases: true)
      let phone = try await shop.device("phone")
      await phone.purchases.listen()
      _ = try await phone.purchases.buy(.packOfFive)
      let number = try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account)
      try await phone.waitUntil { try await phone.credits.availableCount() >= 6 }
      try await shop.appStore.resend(number)
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.balance().purchased == 6)
      #expect(try phone.count(PurchaseRecord.self) == 2)
      #expect(try await shop.appStore.entries().allSatisfy(\.isFinished))
    }
  }

  @Test func `cancelling, waiting and declining bring nothing, approving brings the credits`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(.cancels, on: .purchase)
      #expect(try await phone.purchases.buy(.single) == .cancelled)
      try await shop.appStore.simulate(.fails(.userCancelled), on: .purchase)
      #expect(try await phone.purchases.buy(.single) == .cancelled)
      let asking: Set<Product.PurchaseOption> = [.simulatesAskToBuyInSandbox(true)]
      #expect(try await phone.purchases.buy(.single, options: asking) == .pending)
      #expect(try await phone.purchases.buy(.packOfFive, options: asking) == .pending)
      let waiting = try await shop.appStore.waitingPurchases()
      try await shop.appStore.decline(try #require(waiting.first).id)
      #expect(try await phone.balance().purchased == 0)
      await phone.purchases.listen()
      try await shop.appStore.approve(try #require(waiting.last).id)
      try await phone.waitUntil { try await phone.credits.availableCount() == 5 }
      #expect(try await phone.history.purchases().first?.delivery == .updates)
    }
  }

  @Test func `purchases that are turned off, and products that the region does not sell, are told apart`() async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.setCanMakePayments(false, for: Shop.account)
      let off = await #expect(throws: AstroSvitlaError.self) { try await phone.purchases.buy(.single) }
      #expect(off?.code == .purchasesTurnedOff)
      try await shop.appStore.setCanMakePayments(true, for: Shop.account)
      let table = String(decoding: CreditProduct.priceTable, as: UTF8.self).replacing(#""UAH": "1399", "#, with: "")
      try await shop.appStore.setProducts(storeKitFile: CreditProduct.storeKitFile, priceTable: Data(table.utf8))
      try await shop.appStore.setStorefront("UKR", for: Shop.account)
      let region = await #expect(throws: AstroSvitlaError.self) { try await phone.purchases.buy(.packOfTen) }
      #expect(region?.code == .productUnavailable)
      #expect(try await shop.appStore.entries().isEmpty)
    }
  }

  @Test(arguments: TokenDefect.allCases)
  func `a token that does not verify is put aside, not finished, and delivered once it verifies`(
    defect: TokenDefect
  ) async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(defect)
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.purchases.buy(.packOfFive) }
      #expect(error?.code == .verificationFailed)
      #expect(try await phone.balance().purchased == 0)
      try await shop.appStore.simulate(defect)
      #expect(try await phone.purchases.launch(listens: false).quarantinedCount == 1)
      #expect(try await phone.history.quarantine().map(\.reason) == [.unverified])
      #expect(try await shop.appStore.entries().map(\.isFinished) == [false])
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.creditsDelivered == 5)
      // One that claims to be another app's or another environment's was never this transaction.
      let isOther = [TokenDefect.wrongBundleID, .wrongEnvironment].contains(defect)
      #expect(try await phone.history.quarantine().count == (isOther ? 1 : 0))
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
    }
  }

  @Test func `one transaction that cannot be read is put aside, and the others are delivered`() async throws {
    try await Shop.open { shop in
      for _ in 0..<3 { try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account) }
      try await shop.appStore.simulate(.missingProperty, afterSkipping: 1)
      let phone = try await shop.device("phone")
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.quarantinedCount == 1 && report.creditsDelivered == 2)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true, false, true])
      #expect(try await phone.history.quarantine().map(\.reason) == [.unverified])
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 1)
      #expect(try await phone.history.quarantine().isEmpty)
    }
  }

  @Test func `a consumable that the family shares is put aside and not finished`() async throws {
    try await Shop.open { shop in
      try await shop.appStore.addAccount("sister")
      let number = try await shop.appStore.buy(CreditProduct.single.rawValue, for: "sister")
      try await shop.appStore.share(number, with: Shop.account)
      let phone = try await shop.device("phone")
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.outcomes == [.quarantined(.familyShared)])
      #expect(try await phone.purchases.launch(listens: false).quarantinedCount == 1)
      #expect(try await phone.history.quarantine().count == 1)
      #expect(try await shop.appStore.entries(for: Shop.account).map(\.isFinished) == [false])
    }
  }

  @Test func `a product of another version of the app is put aside and not finished`() async throws {
    try await Shop.open { shop in
      let text = String(decoding: CreditProduct.storeKitFile, as: UTF8.self)
        .replacingOccurrences(of: "credit.pack10", with: "credit.pack20")
      try await shop.appStore.setProducts(storeKitFile: Data(text.utf8))
      try await shop.appStore.buy("com.astrosvitla.report.credit.pack20", for: Shop.account)
      let phone = try await shop.device("phone")
      #expect(try await phone.purchases.launch(listens: false).outcomes == [.quarantined(.unknownProduct)])
      #expect(try await shop.appStore.entries().map(\.isFinished) == [false])
    }
  }

  @Test func `an App Store that cannot be told keeps nobody from the credits, and is told at the next launch`()
    async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(.fails(.networkError), on: .finish)
      let outcome = try await phone.purchases.buy(.single)
      guard case .completed(.delivered, isFinished: false) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(try await phone.credits.availableCount() == 1)
      #expect(try phone.count(FinishNote.self) == 1)
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.creditsDelivered == 0 && report.unfinishedCount == 0)
      #expect(try phone.count(FinishNote.self) == 0)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
    }
  }

  @Test func `a finish whose answer was lost is known to be done at the next launch`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(.losesAnswer(.networkError), on: .finish)
      _ = try await phone.purchases.buy(.single)
      #expect(try phone.count(FinishNote.self) == 1)
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.notesDropped == 1)
      #expect(try await phone.history.purchases().first?.finishedAt != nil)
      #expect(try await shop.appStore.entries().map(\.finishCount) == [1])
    }
  }

  @Test func `a purchase whose answer was lost is delivered at the next launch`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      try await shop.appStore.simulate(.losesAnswer(.networkError), on: .purchase)
      let error = await #expect(throws: StoreKitError.self) { try await phone.purchases.buy(.packOfTen) }
      #expect(error.flatMap { PurchaseMessage(for: $0)?.kind } == .network)
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 10)
      #expect(try await phone.history.purchases().first?.delivery == .recovery)
    }
  }

  @Test func `an error of the store means no finish, and no credits are lost`() async throws {
    try await Shop.open { shop in
      _ = try await shop.device("phone")
      try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account)
      let store = try AstroSvitlaStore(device: shop.url(of: "phone"), access: .readOnly)
      let client = try await shop.appStore.launch(account: Shop.account, device: "phone")
      let broken = PurchaseService(store, client: client)
      let refusal = await #expect(throws: SwiftDataError.self) { try await broken.launch(listens: false) }
      #expect(refusal?.code == .readOnly)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [false])
      let phone = try await shop.device("phone")
      #expect(try await phone.purchases.launch(listens: false).creditsDelivered == 1)
    }
  }

  @Test func `the listener delivers after its App Store failed, and does not keep its service alive`() async throws {
    try await Shop.open { shop in
      try await shop.appStore.simulate(.fails(.networkError), on: .updates)
      let phone = try await shop.device("phone")
      var service: PurchaseService? = PurchaseService(phone.store, client: phone.client)
      weak let owner = service
      await service?.listen()
      try await shop.appStore.buy(CreditProduct.single.rawValue, for: Shop.account)
      try await phone.waitUntil { try await phone.credits.availableCount() == 1 }
      service = nil
      try await phone.waitUntil { owner == nil }
    }
  }
}

extension Device {
  /// Looks every 10 ms, for at most 30 seconds.
  func waitUntil(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<3_000 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("waited in vain")
  }
}
