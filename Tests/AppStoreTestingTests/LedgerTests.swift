import AppStorePurchases
import Foundation
import TestSupport
import Testing

@testable import AppStoreTesting

@Suite struct `The ledger` {
  @Test func `an App Store opened again has everything`() async throws {
    let folder = try makeTemporaryFolder()
    defer { removeFolder(folder) }
    try await Self.buyAndLeave(folder)
    let appStore = try await LocalAppStore.forTests(at: folder, seed: 99)
    let phone = try await appStore.phone()
    #expect(try await phone.ids(.unfinished) == [0])
    #expect(try await phone.bought(ShopFixture.credit).id == 1)
    #expect(try await appStore.accounts().map(\.devices) == [["phone"]])
    #expect(try await appStore.now() == ShopFixture.start)
    try expectSound(appStore.ledger.store)
  }

  private static func buyAndLeave(_ folder: URL) async throws {
    let appStore = try await LocalAppStore.forTests(at: folder)
    try await appStore.setProducts(storeKitFile: ShopFixture.storeKitFile, priceTable: ShopFixture.priceTable)
    try await appStore.addAccount("anna")
    try await appStore.stopClock(at: ShopFixture.start)
    try await appStore.phone().bought(ShopFixture.credit)
  }

  @Test func `only the owner may read the directory with the keys`() async throws {
    try await withAppStore { appStore in
      let store = appStore.directory.appendingPathComponent("ledger.store")
      let modes = try [store, store.appendingPathComponent("data.mdb")].map {
        try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions] as? Int
      }
      #expect(modes == [0o700, 0o600])
    }
  }

  @Test func `the App Store of another app is refused`() async throws {
    try await withAppStore { appStore in
      await #expect {
        _ = try await LocalAppStore.open(at: appStore.directory, bundleID: "com.example.other")
      } throws: {
        ($0 as? AppStoreTestingError)?.code == .otherApp
      }
    }
  }

  @Test func `an App Store without products says so`() async throws {
    let folder = try makeTemporaryFolder()
    defer { removeFolder(folder) }
    let appStore = try await LocalAppStore.forTests(at: folder)
    try await appStore.addAccount("anna")
    let phone = try await appStore.phone()
    await #expect {
      _ = try await phone.products(for: [ShopFixture.credit])
    } throws: { error in
      guard case .systemError(let cause as AppStoreTestingError)? = error as? StoreKitError else { return false }
      return cause.code == .noProducts
    }
    #expect(try await phone.ids(.all).isEmpty)
    let problems = try await appStore.setProducts(
      storeKitFile: Data(#"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "x"}]}"#.utf8))
    #expect(problems.map(\.productID) == ["a"])
    let refusal = await #expect(throws: CatalogError.self) {
      try await appStore.setProducts(storeKitFile: Data("no".utf8))
    }
    #expect(refusal?.code == .malformed)
  }

  @Test func `a reset begins again at 0 and leaves accounts, products and listeners`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let old = try await phone.bought(ShopFixture.credit)
      try await phone.bought(ShopFixture.monthly)
      _ = try await phone.buy(ShopFixture.credit, options: [.simulatesAskToBuyInSandbox(true)])
      try await appStore.simulate(.fails(.unknown), on: .sync)
      let updates = try await Updates(phone)
      for _ in 0..<2 { _ = try await updates.next() }
      for _ in 0..<2 {
        try await appStore.reset()
        try await appStore.stopClock(at: ShopFixture.start.addingTimeInterval(60))
        #expect(try await appStore.entries().isEmpty)
        #expect(try await appStore.waitingPurchases().isEmpty)
        #expect(try await phone.subscriptionStatuses(groupID: ShopFixture.group).isEmpty)
        try await phone.sync()
        #expect(try await appStore.buy(ShopFixture.credit, for: "anna") == 0)
        #expect(try await updates.next().id == 0)
      }
      let error = await #expect(throws: StoreKitError.self) { try await old.confirmFinish() }
      #expect(error?.description.contains("no such transaction of this account; it was reset") == true)
      #expect(try await !appStore.entry(0).isFinished, "the old transaction 0 is not the new one")
    }
  }

  @Test func `buyers at the same time get ids of their own`() async throws {
    try await withAppStore { appStore in
      let clients = [try await appStore.phone(), try await appStore.laptop()]
      let ids = try await withThrowingTaskGroup(of: UInt64.self) { group in
        for index in 0..<40 { group.addTask { try await clients[index % 2].bought(ShopFixture.credit).id } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(ids.sorted() == Array(0..<40))
      #expect(try await appStore.entries().map(\.id) == Array(0..<40))
    }
  }

  @Test func `equal seeds tell the same story`() async throws {
    func story() async throws -> [String] {
      var lines: [String] = []
      try await withAppStore { appStore in
        try await appStore.setUpdateDelivery(copies: 2, delay: .seconds(1)...(.seconds(9)))
        let phone = try await appStore.phone()
        for _ in 0..<4 {
          let transaction = try await phone.bought(ShopFixture.credit)
          lines.append("\(transaction.id) \(transaction.deviceVerificationNonce)")
        }
        lines.append("\(String(describing: phone.deviceVerificationID))")
        lines += try await appStore.ledger.read { try $0.list(LedgerEvent.self, by: "number") }.map(\.arrivals)
      }
      return lines
    }
    let first = try await story()
    let second = try await story()
    #expect(first == second)
    #expect(Set(first).count > 5)
  }

  @Test func `the clock stands, moves and runs on`() async throws {
    try await withAppStore { appStore in
      #expect(try await appStore.now() == ShopFixture.start)
      try await appStore.advanceClock(by: .milliseconds(1500))
      #expect(try await appStore.now() == ShopFixture.start.addingTimeInterval(1.5))
      try await appStore.startClock()
      let running = try await appStore.now()
      #expect(running >= ShopFixture.start.addingTimeInterval(1.5))
      #expect(running < ShopFixture.start.addingTimeInterval(3600))
      try await appStore.setClockOffset(.seconds(-86400))
      #expect(try await appStore.now() < Date())
      #expect(try await appStore.now() > Date().addingTimeInterval(-90000))
      let wall = try await LocalAppStore.open(
        at: appStore.directory, bundleID: ShopFixture.bundleID,
        options: LocalAppStore.Options(wallClock: { ShopFixture.start }))
      #expect(try await wall.now() == ShopFixture.start.addingTimeInterval(-86400))
    }
  }
}
