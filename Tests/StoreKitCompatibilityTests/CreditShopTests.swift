import AppStoreTesting
import Foundation
import StoreKit
import Testing

@Suite struct `A shop written for StoreKit` {
  private let user = UUID()

  @Test func `it loads, buys and has finished what it delivered`() async throws {
    try await withAppStore { appStore in
      try await onDevice("phone", of: appStore) {
        let shop = CreditShop()
        await shop.start()
        try await shop.load()
        #expect(await shop.products.map(\.id) == CreditProduct.allCases.map(\.rawValue))
        #expect(try await shop.buy(.pack5, for: user) == .delivered)
        #expect(try await shop.buy(.single, quantity: 3, for: user) == .delivered)
        #expect(await shop.balance == 8)
        await shop.stop()
      }
      let entries = try await appStore.entries()
      #expect(entries.map(\.isFinished) == [true, true])
      #expect(entries.map(\.appAccountToken) == [user, user])
    }
  }

  @Test func `another device that listens gets the purchase and the refund`() async throws {
    try await withAppStore { appStore in
      try await onDevice("laptop", of: appStore) {
        let laptop = CreditShop()
        await laptop.start()
        try await onDevice("phone", of: appStore) {
          let phone = CreditShop()
          try await phone.load()
          #expect(try await phone.buy(.single, for: user) == .delivered)
        }
        await wait(for: 1, in: laptop)
        try await appStore.refund(0)
        await wait(for: 0, in: laptop)
        await laptop.stop()
      }
    }
  }

  @Test func `what was paid and not delivered is delivered after the next launch`() async throws {
    try await withAppStore { appStore in
      try await appStore.simulate(.losesAnswer(.networkError), on: .purchase)
      try await onDevice("phone", of: appStore) {
        let shop = CreditShop()
        try await shop.load()
        let error = await #expect(throws: StoreKitError.self) { try await shop.buy(.pack10, for: user) }
        #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
        #expect(await shop.balance == 0)
      }
      try await onDevice("phone", of: appStore) {
        let shop = CreditShop()
        await shop.recover()
        #expect(await shop.balance == 10)
        try await appStore.refund(0)
        try await shop.restore()
        #expect(await shop.balance == 0)
      }
    }
  }

  @Test func `cancelling and waiting deliver nothing`() async throws {
    try await withAppStore { appStore in
      try await onDevice("phone", of: appStore) {
        let shop = CreditShop()
        await shop.start()
        try await shop.load()
        try await appStore.simulate(.cancels, on: .purchase)
        #expect(try await shop.buy(.single, for: user) == .cancelled)
        try await appStore.setAsksToBuy(true, for: "olha")
        #expect(try await shop.buy(.single, for: user) == .pending)
        #expect(await shop.balance == 0)
        try await appStore.approve(#require(try await appStore.waitingPurchases().first).id)
        await wait(for: 1, in: shop)
        await shop.stop()
      }
    }
  }

  @Test func `a token that is not verified is refused`() async throws {
    try await withAppStore { appStore in
      try await onDevice("phone", of: appStore) {
        let shop = CreditShop()
        try await shop.load()
        try await appStore.simulate(.alteredPayload)
        _ = try await shop.buy(.single, for: user)
        #expect(await shop.balance == 0)
        #expect(await shop.refusedCount == 1)
      }
      #expect(try await appStore.entries().map(\.isFinished) == [false])
    }
  }

  /// Waits until the shop shows a balance.
  private func wait(for balance: Int, in shop: CreditShop) async {
    for await shown in shop.balances where shown == balance { return }
    Issue.record("the shop ended without a balance of \(balance)")
  }
}
