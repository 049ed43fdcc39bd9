import AppStorePurchases
import Foundation
import Testing

@testable import AppStoreTesting

@Suite struct `Purchases` {
  @Test func `products come in the account's storefront and the person's language`() async throws {
    try await withAppStore { appStore in
      try await appStore.addAccount("olha", storefront: "UKR")
      #expect(try await appStore.storefronts().map(\.countryCode) == ["USA", "UKR"])
      let client = try await appStore.launch(account: "olha", device: "phone", language: "uk")
      try await AppStore.withClient(client) {
        let products = try await Product.products(for: [ShopFixture.credit, ShopFixture.local, "com.example.none"])
        let product = try #require(products.first)
        #expect(products.count == 1, "what is not sold there, and what does not exist, is absent")
        #expect(product.displayName == "Один кредит")
        #expect(product.price == 199)
        #expect(product.priceFormatStyle.currencyCode == "UAH")
        #expect(await Storefront.current?.countryCode == "UKR")
        #expect(await Storefront.current?.id == "143492")
      }
    }
  }

  @Test func `a purchase is signed, recorded, unfinished until it is finished, and counted from 0`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let token = UUID()
      let first = try await phone.bought(ShopFixture.credit, options: [.appAccountToken(token)])
      #expect(first.id == 0)
      #expect(first.originalID == 0)
      #expect(first.appAccountToken == token)
      #expect(first.productType == .consumable)
      #expect(first.environment == .xcode)
      #expect(first.appBundleID == ShopFixture.bundleID)
      #expect(first.price == Decimal(string: "4.99"))
      #expect(first.currency?.identifier == "USD")
      #expect(first.storefront.countryCode == "USA")
      #expect(first.purchaseDate == ShopFixture.start)
      #expect(first.ownershipType == .purchased)
      #expect(first.reason == .purchase)
      let second = try await phone.bought(ShopFixture.credit)
      #expect(second.id == 1)
      #expect(try await phone.ids(.unfinished) == [1, 0], "the newest first")
      await first.finish()
      #expect(try await phone.ids(.unfinished) == [1])
      #expect(try await phone.ids(.all) == [1, 0])
      await first.finish()
      let entry = try await appStore.entry(0)
      #expect(entry.isFinished)
      #expect(entry.finishCount == 2, "a second finish is recorded and harmless")
      #expect(entry.device == "phone")
    }
  }

  @Test(arguments: [1, 2, 7, 10])
  func `a quantity is one transaction at the whole price`(quantity: Int) async throws {
    try await withAppStore { appStore in
      let transaction = try await appStore.phone().bought(ShopFixture.credit, options: [.quantity(quantity)])
      #expect(transaction.purchasedQuantity == quantity)
      #expect(transaction.price == Decimal(string: "4.99").map { $0 * Decimal(quantity) })
    }
  }

  @Test(arguments: [0, 11, -1, Int.max])
  func `a quantity outside 1 to 10 is refused and nothing is paid`(quantity: Int) async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      await #expect(throws: Product.PurchaseError.invalidQuantity) {
        try await phone.buy(ShopFixture.credit, options: [.quantity(quantity)])
      }
      #expect(try await appStore.entries().isEmpty)
    }
  }

  @Test func `a non-consumable that is owned is handed out again and not paid twice`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let first = try await phone.bought(ShopFixture.unlock)
      await first.finish()
      let again = try await appStore.laptop().bought(ShopFixture.unlock)
      #expect(again.id == first.id)
      #expect(try await appStore.entries().count == 1)
      try await appStore.refund(first.id)
      #expect(try await phone.bought(ShopFixture.unlock).id == 1, "a refunded one is bought anew")
    }
  }

  @Test func `payments that are turned off refuse a purchase, and the app can ask`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      #expect(phone.canMakePayments)
      try await appStore.setCanMakePayments(false, for: "anna")
      #expect(!phone.canMakePayments)
      await #expect(throws: Product.PurchaseError.purchaseNotAllowed) { try await phone.buy(ShopFixture.credit) }
      #expect(try await appStore.entries().isEmpty)
    }
  }

  @Test func `a product that is sold elsewhere only is not available in the storefront`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await AppStore.withClient(phone) {
        let product = try #require(try await Product.products(for: [ShopFixture.local]).first)
        try await appStore.setStorefront("UKR", for: "anna")
        await #expect { try await product.purchase() } throws: { error in
          if case .notAvailableInStorefront? = error as? StoreKitError { true } else { false }
        }
        try await appStore.setProducts(
          storeKitFile: Data(#"{"products": []}"#.utf8), priceTable: ShopFixture.priceTable)
        await #expect(throws: Product.PurchaseError.productUnavailable) { try await product.purchase() }
      }
      #expect(try await appStore.entries().isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `a storefront that changed since the product was loaded asks the app`(continues: Bool) async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await AppStore.withClient(phone) {
        let product = try #require(try await Product.products(for: [ShopFixture.credit]).first)
        try await appStore.setStorefront("UKR", for: "anna")
        let option = Product.PurchaseOption.onStorefrontChange { storefront in
          storefront.countryCode == "UKR" && continues
        }
        let result = try await product.purchase(options: [option])
        let entries = try await appStore.entries()
        if continues {
          guard case .success(.verified(let transaction)) = result else {
            throw UnexpectedAnswer(what: "no verified purchase")
          }
          #expect(transaction.price == 199)
          #expect(transaction.currency?.identifier == "UAH")
          #expect(entries.map(\.storefront) == ["UKR"])
        } else {
          guard case .userCancelled = result else { throw UnexpectedAnswer(what: "the purchase went on") }
          #expect(entries.isEmpty)
        }
      }
    }
  }

  @Test func `accounts share ids and nothing else`() async throws {
    try await withAppStore { appStore in
      try await appStore.addAccount("ben")
      let anna = try await appStore.phone()
      let ben = try await appStore.launch(account: "ben", device: "tablet")
      let annas = try await anna.bought(ShopFixture.credit)
      let bens = try await ben.bought(ShopFixture.credit)
      #expect([annas.id, bens.id] == [0, 1], "one id means one purchase, whatever account is signed in")
      #expect(try await anna.ids(.all) == [0])
      #expect(try await ben.ids(.unfinished) == [1])
      await #expect { try await ben.finish(annas) } throws: { error in
        guard case .systemError(let cause as StoreConnectionError)? = error as? StoreKitError else { return false }
        return cause.code == .unknownTransaction
      }
      #expect(try await anna.ids(.unfinished) == [0])
    }
  }

  @Test func `two devices hold different texts of one transaction`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let laptop = try await appStore.laptop()
      try await phone.bought(ShopFixture.credit)
      var texts: [String] = []
      for client in [phone, laptop] {
        let result = try #require(try await client.latestTransaction(for: ShopFixture.credit))
        #expect(try result.payloadValue.id == 0)
        texts.append(result.jwsRepresentation)
      }
      #expect(texts[0] != texts[1])
      #expect(phone.deviceVerificationID != laptop.deviceVerificationID)
      #expect(try await phone.latestTransaction(for: "com.example.none") == nil)
    }
  }
}
