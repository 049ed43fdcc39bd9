import AppStorePurchases
import AppStoreTesting
import Foundation
import Testing

/// The code in the comments of the local App Store and its controls.
@Suite struct `Examples of controls` {
  @Test func `an App Store is opened, and an app buys in it`() async throws {
    try await withFolder { folder in
      let products = folder.appending(path: "Stars.storekit")
      try ShopFixture.storeKitFile.write(to: products)

      var options = LocalAppStore.Options(seed: 7)
      options.durability = .unsafeNoFlush  // for tests, which need no flush
      let appStore = try await LocalAppStore.open(at: folder, bundleID: "com.example.stars", options: options)
      try await appStore.setProducts(storeKitFile: Data(contentsOf: products))
      try await appStore.addAccount("anna")
      let phone = try await appStore.launch(account: "anna", device: "phone")
      let result = try await AppStore.withClient(phone) {
        try await Product.products(for: ["com.example.stars.credit"])[0].purchase()
      }
      guard case .success(.verified(let transaction)) = result else { throw UnexpectedAnswer(what: "no success") }
      #expect(transaction.productID == ShopFixture.credit)

      let laptop: LocalStoreClient = try await appStore.launch(account: "anna", device: "laptop")
      let verifier = TransactionVerifier(try await laptop.verifierConfiguration())
      let owned = await AppStore.withClient(laptop) {
        await Transaction.latest(for: "com.example.stars.credit")?.unsafePayloadValue
      }
      #expect(owned?.id == transaction.id)
      let text = try await appStore.signedTransaction(transaction.id, device: "laptop")
      #expect(try await verifier.transaction(from: text, now: Date()).id == transaction.id)
    }
  }

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { removeFolder(folder) }
    try await body(folder)
  }

  @Test func `faults and defects hit the calls that they name`() async throws {
    try await withAppStore { appStore in
      let call = StoreCall.purchase
      let failure = SimulatedFailure.ineligibleForOffer
      for fault: SimulatedFault in [.losesAnswer(.networkError), .fails(failure), .cancels] {
        try await appStore.simulate(fault, on: call, device: "phone")  // one after the other, a purchase each
      }
      #expect(try await appStore.faultCount() == 3)
      let phone = try await appStore.phone()
      await #expect(throws: StoreKitError.self) { try await phone.buy(ShopFixture.credit) }
      #expect(try await phone.ids(.unfinished).count == 1, "the answer was lost, not the purchase")
      await #expect(throws: Product.PurchaseError.ineligibleForOffer) { try await phone.buy(ShopFixture.credit) }
      guard case .userCancelled = try await phone.buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "the purchase was not cancelled")
      }

      for defect in TokenDefect.allCases { try await appStore.simulate(defect) }
      #expect(try await appStore.faultCount() == TokenDefect.allCases.count)
    }
  }

  @Test func `a simulated error of the system is told from others`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      var logged: [String] = []
      func log(_ line: String) { logged.append(line) }

      try await appStore.simulate(.fails(.systemError), on: .sync)
      do {
        try await phone.sync()
      } catch StoreKitError.systemError(let cause as SimulatedSystemError) {
        log(cause.description)
      }
      #expect(logged == ["a system error that the tester asked for"])
    }
  }

  @Test func `a parent agrees, the App Store refunds, and the books tell`() async throws {
    try await withAppStore { appStore in
      try await appStore.setAsksToBuy(true, for: "anna")
      let phone = try await appStore.phone()
      guard case .pending = try await phone.buy(ShopFixture.credit) else {
        throw UnexpectedAnswer(what: "the purchase does not wait")
      }

      for purchase: LocalAppStore.WaitingPurchase in try await appStore.waitingPurchases() {
        switch purchase.reason {
        case .askToBuy: print("paid as \(try await appStore.approve(purchase.id))")
        case .interrupted: try await appStore.expire(purchase.id)
        }
      }
      #expect(try await phone.ids(.unfinished) == [0])

      let entries: [LocalAppStore.Entry] = try await appStore.entries(for: "anna")
      for entry in entries where !entry.isFinished {
        try await appStore.refund(entry.id, reason: LocalAppStore.RefundReason.developerIssue)
      }
      #expect(try await phone.all(.all).map(\.revocationReason) == [.developerIssue])

      do {
        try await appStore.refund(0)
      } catch let error as AppStoreTestingError where error.code == .invalidRequest {
        print(error.message)  // it is refunded already
      }
      let error = await #expect(throws: AppStoreTestingError.self) { try await appStore.refund(0) }
      #expect(error?.code == .invalidRequest)
    }
  }

  @Test func `a child process is told where to end`() {
    let environment = [CrashPoint.environmentVariable: CrashPoint.paidNotReturned.rawValue]  // of a child process
    #expect(environment == ["TANDEM_APPSTORE_CRASH": "C1"])
  }
}
