import AppStorePurchases
import Foundation
import Testing

@testable import AppStoreTesting

@Suite struct `Simulated faults` {
  /// One call of an app, for each kind.
  static func make(_ call: StoreCall, _ client: LocalStoreClient, _ transaction: Transaction) async throws {
    switch call {
    case .products: _ = try await client.products(for: [ShopFixture.credit])
    case .purchase: _ = try await client.buy(ShopFixture.credit)
    case .finish: try await client.finish(transaction)
    case .sync: try await client.sync()
    case .updates: _ = try await client.transactionUpdates().first { _ in true }
    case .unfinished: _ = try await client.ids(.unfinished)
    case .history: _ = try await client.ids(.all)
    case .currentEntitlements: _ = try await client.ids(.currentEntitlements)
    case .latestTransaction: _ = try await client.latestTransaction(for: ShopFixture.credit)
    case .storefront: _ = try await client.currentStorefront()
    case .subscriptionStatus: _ = try await client.subscriptionStatuses(groupID: ShopFixture.group)
    case .introductoryOfferEligibility:
      _ = try await client.isEligibleForIntroductoryOffer(groupID: ShopFixture.group)
    case .refundRequest: _ = try await client.beginRefundRequest(transactionID: transaction.id)
    }
  }

  @Test(arguments: StoreCall.allCases)
  func `every call throws every error as often as it is told, then works`(call: StoreCall) async throws {
    try await withAppStore { appStore in
      let client = try await appStore.phone()
      let transaction = try await client.bought(ShopFixture.credit)
      for failure in SimulatedFailure.allCases {
        try await appStore.simulate(.fails(failure), on: call, times: 2)
        for _ in 0..<2 {
          do {
            try await Self.make(call, client, transaction)
            Issue.record("\(call) did not throw \(failure)")
          } catch {
            #expect(Self.name(error) == failure.rawValue)
          }
        }
      }
      #expect(try await appStore.faultCount() == 0)
      #expect(try await appStore.entries().count == 1, "a call that failed has changed nothing")
      #expect(try await !appStore.entry(0).isFinished)
      #expect(try await appStore.entry(0).revocationDate == nil)
      try await Self.make(call, client, transaction)
    }
  }

  /// The case of an error, which is the name of the failure.
  private static func name(_ error: any Error) -> String {
    switch error as? StoreKitError {
    case .networkError: "networkError"
    case .systemError(let cause): cause is SimulatedSystemError ? "systemError" : "\(cause)"
    case .some(let other): Mirror(reflecting: other).children.first?.label ?? Self.caseName(other)
    case nil: (error as? Product.PurchaseError).map { "\(Self.purchaseName($0))" } ?? "\(error)"
    }
  }

  private static func caseName(_ error: StoreKitError) -> String {
    switch error {
    case .unknown: "unknown"
    case .userCancelled: "userCancelled"
    case .notAvailableInStorefront: "notAvailableInStorefront"
    case .notEntitled: "notEntitled"
    case .unsupported: "unsupported"
    case .networkError, .systemError: "named elsewhere"
    }
  }

  private static func purchaseName(_ error: Product.PurchaseError) -> String {
    SimulatedFailure.allCases.first { ($0.error as? Product.PurchaseError) == error }?.rawValue ?? "none"
  }

  @Test func `a plain loop over a sequence that fails ends early, a checked one throws`() async throws {
    try await withAppStore { appStore in
      let client = try await appStore.phone()
      try await client.bought(ShopFixture.credit)
      try await appStore.simulate(.fails(.networkError), on: .unfinished, times: 2)
      await AppStore.withClient(client) {
        var count = 0
        for await _ in Transaction.unfinished { count += 1 }
        #expect(count == 0)
        let error = await #expect(throws: StoreKitError.self) {
          for try await _ in Transaction.unfinished.checked { count += 1 }
        }
        #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
        for await _ in Transaction.unfinished { count += 1 }
        #expect(count == 1)
      }
    }
  }

  @Test func `cancelling comes as a result or as an error`() async throws {
    try await withAppStore { appStore in
      let client = try await appStore.phone()
      try await appStore.simulate(.cancels, on: .purchase)
      guard case .userCancelled = try await client.buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "the purchase was not cancelled")
      }
      try await appStore.simulate(.fails(.userCancelled), on: .purchase)
      let error = await #expect(throws: StoreKitError.self) { try await client.buy(ShopFixture.credit) }
      #expect(error?.description == StoreKitError.userCancelled.description)
      #expect(try await appStore.entries().isEmpty)
    }
  }

  @Test func `a purchase whose answer is lost is paid and waits among the unfinished`() async throws {
    try await withAppStore { appStore in
      let client = try await appStore.phone()
      try await appStore.simulate(.losesAnswer(.networkError), on: .purchase)
      let error = await #expect(throws: StoreKitError.self) { try await client.buy(ShopFixture.credit) }
      #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
      #expect(try await client.ids(.unfinished) == [0])
    }
  }

  @Test func `a finish whose answer is lost is recorded, one that never arrived is not`() async throws {
    try await withAppStore { appStore in
      let client = try await appStore.phone()
      let transaction = try await client.bought(ShopFixture.credit)
      try await appStore.simulate(.fails(.networkError), on: .finish)
      let error = await #expect(throws: StoreKitError.self) { try await transaction.confirmFinish() }
      #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
      #expect(try await !appStore.entry(0).isFinished)
      try await appStore.simulate(.losesAnswer(.networkError), on: .finish)
      let lost = await #expect(throws: StoreKitError.self) { try await transaction.confirmFinish() }
      #expect(lost?.description == StoreKitError.networkError(URLError(.unknown)).description)
      #expect(try await appStore.entry(0).isFinished)
      try await transaction.confirmFinish()
      #expect(try await appStore.entry(0).finishCount == 2)
    }
  }

  @Test func `a fault can wait, and can hit one account or one device only`() async throws {
    try await withAppStore { appStore in
      let (phone, laptop) = (try await appStore.phone(), try await appStore.laptop())
      try await appStore.simulate(.fails(.unknown), on: .sync, times: nil, afterSkipping: 2, device: "phone")
      try await phone.sync()
      try await laptop.sync()
      try await phone.sync()
      for _ in 0..<3 {
        let error = await #expect(throws: StoreKitError.self) { try await phone.sync() }
        #expect(error?.description == StoreKitError.unknown.description)
      }
      try await laptop.sync()
      try await appStore.removeFaults()
      try await phone.sync()
      try await appStore.simulate(.fails(.unknown), on: .sync, account: "ben")
      try await phone.sync()
      #expect(try await appStore.faultCount() == 1)
    }
  }

  @Test func `faults of one call act in the order in which they were set`() async throws {
    try await withAppStore { appStore in
      let client = try await appStore.phone()
      try await appStore.simulate(.cancels, on: .purchase)
      try await appStore.simulate(.fails(.networkError), on: .purchase)
      guard case .userCancelled = try await client.buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "the first fault did not act first")
      }
      let error = await #expect(throws: StoreKitError.self) { try await client.buy(ShopFixture.credit) }
      #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
      try await client.bought(ShopFixture.credit)
    }
  }

  @Test func `impossible wishes are refused with a sentence`() async throws {
    try await withAppStore { appStore in
      let refused: [@Sendable () async throws -> Void] = [
        { try await appStore.simulate(.fails(.unknown), on: .sync, times: 0) },
        { try await appStore.setUpdateDelivery(copies: 0) },
        { try await appStore.advanceClock(by: .seconds(-1)) },
        { try await appStore.addAccount("") },
        { try await appStore.addAccount("ben", storefront: "usa") },
      ]
      for call in refused { #expect(await testingErrorCode(call) == .invalidRequest) }
      #expect(await testingErrorCode { try await appStore.refund(99) } == .unknownTransaction)
      #expect(await testingErrorCode { try await appStore.approve(99) } == .unknownRequest)
      let launching = await testingErrorCode { _ = try await appStore.launch(account: "nobody", device: "phone") }
      #expect(launching == .unknownAccount)
    }
  }
}
