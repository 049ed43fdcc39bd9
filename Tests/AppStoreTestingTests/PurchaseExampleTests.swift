import AppStorePurchases
import AppStoreTesting
import Foundation
import Testing

/// The code in the comments of what an app buys, and of what it learns of its purchases.
@Suite struct `Examples of purchases` {
  private static let locale = Locale(identifier: "en_US")

  /// Runs as an app on the phone does, with the App Store behind it.
  private func withPhone(
    isolation: isolated (any Actor)? = #isolation, _ body: (LocalAppStore, LocalStoreClient) async throws -> Void
  ) async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await AppStore.withClient(phone) { try await body(appStore, phone) }
    }
  }

  @Test func `products say what they are, and options say how they are bought`() async throws {
    try await withPhone { _, _ in
      let user = UUID()
      let products = try await Product.products(for: ["com.example.stars.credit", "com.example.stars.unlock"])
      for product in products.sorted(by: { $0.price < $1.price }) {
        let isKept = product.type != .consumable
        print(product.displayName, product.displayPrice, isKept ? "for ever" : "to be used once")
      }
      var options: Set<Product.PurchaseOption> = [.appAccountToken(user), .custom(key: "source", value: "paywall")]
      if products[0].type == Product.ProductType.consumable { options.insert(.quantity(2)) }
      let product = try #require(products.first { $0.type == .consumable })
      options.insert(.quantity(2))

      let request = try PurchaseRequest(product, options: options)  // what a client is asked to buy
      if case .text(let source)? = request.customValues["source"] { print("bought by the \(source)") }
      if case .promotional(let id, _)? = request.offer { print("with the offer \(id)") }
      #expect(request.quantity == 2 && request.appAccountToken == user)
      #expect(request.customValues["source"] == .text("paywall"))
    }
  }

  @Test func `a purchase that is not possible says why`() async throws {
    try await withPhone { _, phone in
      let product = try #require(try await phone.products(for: [ShopFixture.credit]).first)
      var shown: [String] = []
      func show(_ sentence: String) { shown.append(sentence) }

      do {
        _ = try await product.purchase(options: [.quantity(11)])
      } catch let error as Product.PurchaseError {
        show(error.localizedDescription)
      } catch StoreKitError.networkError {
        show("Try again when you are online. Nothing was paid twice.")
      }
      #expect(shown == [Product.PurchaseError.invalidQuantity.description])
    }
  }

  @Test func `a call without a client says what to do`() async throws {
    var logged: [String] = []
    func log(_ line: String) { logged.append(line) }
    do {
      _ = try await Product.products(for: ["com.example.stars.credit"])
    } catch StoreKitError.systemError(let cause as StoreConnectionError) where cause.code == .notConnected {
      log(cause.message)  // the app has not called `AppStore.connect(to:)`
    }
    #expect(logged.count <= 1, "another test may have a client connected")
  }

  @Test func `transactions are asked for, and a refund is told from a purchase`() async throws {
    try await withPhone { appStore, phone in
      try await phone.bought(ShopFixture.credit)
      try await phone.bought(ShopFixture.unlock)
      try await appStore.refund(0, reason: .developerIssue)
      var delivered: [UInt64] = []
      var takenBack: [UInt64] = []
      func deliver(_ transaction: Transaction) { delivered.append(transaction.id) }
      func takeBack(_ transaction: Transaction) { takenBack.append(transaction.id) }

      let purchases: Transaction.Transactions = Transaction.unfinished
      for await result: VerificationResult<Transaction> in purchases {
        switch result {
        case .verified(let transaction) where transaction.revocationDate != nil: takeBack(transaction)
        case .verified(let transaction): deliver(transaction)
        case .unverified(_, let error) where error == .revokedCertificate: print("signed with a stolen key")
        case .unverified: break  // deliver nothing, finish nothing
        }
      }
      #expect(delivered == [1] && takenBack == [0])

      func count(_ scope: TransactionScope, by client: any StoreClient) async throws -> Int {
        var count = 0
        for try await result in client.transactions(scope) where (try? result.payloadValue) != nil { count += 1 }
        return count
      }
      let credits = try await count(.history(productID: "com.example.stars.credit"), by: phone)
      #expect(credits == 1)
    }
  }

  @Test func `a transaction tells where it comes from and how it ended`() async throws {
    try await withPhone { appStore, phone in
      try await phone.bought(ShopFixture.unlock)
      try await appStore.refund(0, reason: .developerIssue, percentage: 40)
      let transaction = try #require(try await phone.all(.all).first)

      func story(of transaction: Transaction) -> [String] {
        var story = [transaction.reason == Transaction.Reason.renewal ? "renewed" : "bought"]
        if transaction.ownershipType == Transaction.OwnershipType.familyShared { story.append("by the family") }
        if transaction.revocationReason == Transaction.RevocationReason.developerIssue { story.append("did not work") }
        if transaction.revocationType == Transaction.RevocationType.proratedRefund {
          story.append("\(transaction.revocationPercentage ?? 0) % came back")
        }
        return story
      }
      #expect(story(of: transaction) == ["bought", "did not work", "40 % came back"])
    }
  }

  @Test func `a person asks for a refund`() async throws {
    try await withPhone { _, phone in
      let transaction = try await phone.bought(ShopFixture.unlock)
      var shown: [String] = []
      func show(_ sentence: String) { shown.append(sentence) }
      do {
        switch try await transaction.beginRefundRequest() {
        case .success: show("Asked for")
        case .userCancelled: break
        }
      } catch Transaction.RefundRequestError.duplicateRequest {
        show("Asked for already")
      }
      #expect(shown == ["Asked for"])
    }
  }

  @Test func `a subscription has periods, offers and a status`() async throws {
    try await withPhone { appStore, phone in
      let product = try #require(try await phone.products(for: [ShopFixture.paced]).first)
      func terms(of subscription: Product.SubscriptionInfo) -> String {
        let offer: Product.SubscriptionOffer? = subscription.introductoryOffer
        let isFree = offer?.type == .introductory && offer?.paymentMode == .freeTrial
        let period: Product.SubscriptionPeriod = subscription.subscriptionPeriod
        let length = period.unit == .month ? "\(period.value) months" : "\(period)"
        return (isFree ? "free at first, then " : offer.map { "\($0.displayPrice) at first, then " } ?? "") + length
      }
      #expect(terms(of: try #require(product.subscription)) == "$1.99 at first, then 1 months")

      let bought = try await phone.bought(ShopFixture.paced)
      let offer: Transaction.Offer? = bought.offer
      let isFirst = offer?.type == Transaction.OfferType.introductory
      #expect(isFirst && offer?.paymentMode == .payAsYouGo)
      try await appStore.setAutoRenew(false, for: "anna", groupID: ShopFixture.pacedGroup)

      func line(_ status: Product.SubscriptionInfo.Status) throws -> String {
        let renewal: Product.SubscriptionInfo.RenewalInfo = try status.renewalInfo.payloadValue
        switch status.state {
        case .subscribed where renewal.priceIncreaseStatus == .pending: return "agree to the new price"
        case .subscribed, .inGracePeriod: return renewal.willAutoRenew ? "goes on" : "ends with this period"
        case .expired where renewal.expirationReason == .billingError: return "the card was refused"
        default: return "over"
        }
      }
      let statuses = try await Product.SubscriptionInfo.status(for: ShopFixture.pacedGroup)
      #expect(try statuses.map(line) == ["ends with this period"])
    }
  }

  // Here and in the next: on one actor the change begins once the loop waits, and so once it listens.
  @MainActor @Test func `storefronts are followed`() async throws {
    try await withPhone { appStore, _ in
      var shown: [String] = []
      func reload(_ countryCode: String) { shown.append(countryCode) }
      let moving = Task { try await appStore.setStorefront("UKR", for: "anna") }
      let storefronts: Storefront.Storefronts = Storefront.updates
      for await storefront in storefronts {
        reload(storefront.countryCode)  // prices are those of the new country now
        break
      }
      try await moving.value
      #expect(shown == ["UKR"])
    }
  }

  @MainActor @Test func `a status is followed`() async throws {
    try await withPhone { appStore, phone in
      try await phone.bought(ShopFixture.monthly)
      var shown: [Product.SubscriptionInfo.RenewalState] = []
      func show(_ state: Product.SubscriptionInfo.RenewalState) { shown.append(state) }
      let ending = Task { try await appStore.expireSubscription(for: "anna", groupID: ShopFixture.group) }
      for await status in Product.SubscriptionInfo.Status.updates {
        show(status.state)
        break
      }
      try await ending.value
      #expect(shown == [.expired])
    }
  }

  @Test func `a catalogue is read, and says what is wrong in it`() throws {
    var reported: [String] = []
    func report(_ line: String) { reported.append(line) }
    let (products, prices) = (ShopFixture.storeKitFile, ShopFixture.priceTable)

    let catalog = ProductCatalog(try StoreKitConfiguration(products), prices: try PriceTable(prices))
    for problem: CatalogProblem in catalog.problems { report("\(problem.productID ?? "the file"): \(problem.message)") }
    let region: PriceTable.Region? = catalog.prices.region(countryCode: "UKR")
    let shelf = catalog.products(countryCode: "UKR", locale: Locale(identifier: region?.localeIdentifier ?? "en"))
    #expect(shelf.first { $0.id == ShopFixture.credit }?.price == 199)

    func line(_ product: ProductDefinition) -> String {
      let text: ProductDefinition.Localization? = product.localization(for: Locale(identifier: "uk"))
      let plan: ProductDefinition.Subscription? = product.subscription
      let offers: [ProductDefinition.Offer] = plan?.promotionalOffers ?? []
      return "\(text?.displayName ?? product.referenceName): level \(plan?.level ?? 0), \(offers.count) offers"
    }
    let definitions = catalog.configuration.products
    #expect(definitions.first { $0.id == ShopFixture.credit }.map(line) == "Один кредит: level 0, 0 offers")
    #expect(definitions.first { $0.id == ShopFixture.yearly }.map(line)?.hasSuffix("level 1, 1 offers") == true)

    do {
      _ = try PriceTable(Data("{".utf8))
    } catch let error as CatalogError where error.code == .malformed {
      report(error.message)
    }
    #expect(reported.last?.isEmpty == false)
  }

  @Test func `a signed text is looked at, believed, or refused at a step`() async throws {
    try await withPhone { appStore, phone in
      try await phone.bought(ShopFixture.unlock)
      let text = try await appStore.signedTransaction(0, device: "phone")
      let configuration = try await phone.verifierConfiguration()
      let deviceID = try #require(phone.deviceVerificationID)

      let verifier = TransactionVerifier(configuration)
      do {
        let transaction = try await verifier.transaction(from: text, now: Date())
        print("believed: \(transaction.id)")
      } catch let failure as VerificationFailure where failure.step == .denyList {
        print("signed with a certificate that is no longer believed: \(failure.message)")
      }
      let transaction = try await verifier.transaction(from: text, now: Date())

      let document = try SignedDocument(text)
      let unverified = String(decoding: document.payload, as: UTF8.self)  // for a log: nothing of it is believed
      #expect(unverified.contains(ShopFixture.unlock))

      let expected = DeviceVerification.value(nonce: transaction.deviceVerificationNonce, deviceID: deviceID)
      let isOfThisDevice = transaction.deviceVerification == expected
      #expect(isOfThisDevice)

      let root = try await appStore.rootCertificate()
      let environments: Set<AppStore.Environment> = [.production]  // and .sandbox while the app is in review
      do {
        var configuration = try VerifierConfiguration(
          anchors: [root], bundleID: "com.example.stars", environments: environments)
        configuration.appAppleID = 6_448_311_069
      } catch let error as VerifierConfiguration.ConfigurationError {
        print(error.message)  // the file of the root certificate is not one
      }
      let error = #expect(throws: VerifierConfiguration.ConfigurationError.self) {
        try VerifierConfiguration(anchors: [], bundleID: "com.example.stars", environments: environments)
      }
      #expect(error?.message.isEmpty == false)
    }
  }
}
