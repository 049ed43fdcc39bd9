import AppStorePurchases
import Foundation
import Testing

@testable import AppStoreTesting

@Suite struct `Waiting purchases` {
  @Test func `Ask to Buy waits, and an approval arrives through the updates of all devices`() async throws {
    try await withAppStore { appStore in
      let (phone, laptop) = (try await appStore.phone(), try await appStore.laptop())
      let (onPhone, onLaptop) = (try await Updates(phone), try await Updates(laptop))
      try await appStore.setAsksToBuy(true, for: "anna")
      let token = UUID()
      let answer = try await phone.buy(ShopFixture.credit, options: [.quantity(3), .appAccountToken(token)])
      guard case .pending = answer else { throw UnexpectedAnswer(what: "the purchase did not wait") }
      #expect(try await appStore.entries().isEmpty, "nothing is paid yet")
      let waiting = try #require(try await appStore.waitingPurchases().first)
      #expect(waiting.reason == .askToBuy)
      #expect(waiting.quantity == 3)
      #expect(waiting.device == "phone")
      try await appStore.advanceClock(by: .seconds(3600))
      #expect(try await appStore.approve(waiting.id) == 0)
      let transaction = try await onPhone.next()
      #expect(transaction.id == 0)
      #expect(transaction.purchasedQuantity == 3)
      #expect(transaction.appAccountToken == token)
      #expect(transaction.purchaseDate == ShopFixture.start.addingTimeInterval(3600), "paid when it was approved")
      #expect(try await onLaptop.next().id == 0)
      #expect(try await phone.ids(.unfinished) == [0])
      #expect(try await appStore.waitingPurchases().isEmpty)
    }
  }

  @Test func `an approval is paid once, however often it is given`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      _ = try await phone.buy(ShopFixture.credit, options: [.simulatesAskToBuyInSandbox(true)])
      let id = try #require(try await appStore.waitingPurchases().first).id
      try await appStore.approve(id)
      #expect(await testingErrorCode { try await appStore.approve(id) } == .unknownRequest)
      #expect(await testingErrorCode { try await appStore.decline(id) } == .unknownRequest)
      #expect(try await appStore.entries().count == 1)
    }
  }

  @Test(arguments: [true, false])
  func `a refusal and a request that lapses pay nothing and tell nothing`(isDeclined: Bool) async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let updates = try await Updates(phone)
      _ = try await phone.buy(ShopFixture.credit, options: [.simulatesAskToBuyInSandbox(true)])
      let id = try #require(try await appStore.waitingPurchases().first).id
      if isDeclined { try await appStore.decline(id) } else { try await appStore.expire(id) }
      #expect(try await appStore.waitingPurchases().isEmpty)
      #expect(try await appStore.entries().isEmpty)
      try await appStore.buy(ShopFixture.unlock, for: "anna")
      #expect(try await updates.next().productID == ShopFixture.unlock, "the first news is of something else")
    }
  }

  @Test(arguments: [true, false])
  func `an interrupted purchase is pending or unknown, and arrives when it is resolved`(
    throwsUnknown: Bool
  ) async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await appStore.simulate(.interrupts(throwsUnknown: throwsUnknown), on: .purchase)
      do {
        let answer = try await phone.buy(ShopFixture.credit)
        guard case .pending = answer, !throwsUnknown else { throw UnexpectedAnswer(what: "not pending") }
      } catch StoreKitError.unknown {
        #expect(throwsUnknown)
      }
      let waiting = try #require(try await appStore.waitingPurchases().first)
      #expect(waiting.reason == .interrupted)
      #expect(try await appStore.entries().isEmpty)
      let updates = try await Updates(phone)
      try await appStore.approve(waiting.id)
      #expect(try await updates.next().id == 0)
    }
  }

  @Test func `what is not sold any more cannot be approved, and goes on waiting`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      _ = try await phone.buy(ShopFixture.local, options: [.simulatesAskToBuyInSandbox(true)])
      try await appStore.setStorefront("UKR", for: "anna")
      let id = try #require(try await appStore.waitingPurchases().first).id
      #expect(await testingErrorCode { try await appStore.approve(id) } == .invalidRequest)
      #expect(try await appStore.waitingPurchases().map(\.id) == [id])
    }
  }
}
