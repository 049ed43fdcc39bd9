import AppStorePurchases
import Foundation
import Testing

@testable import AppStoreTesting

@Suite struct `Transaction updates` {
  @Test func `unfinished transactions are replayed once after each launch, the oldest first`() async throws {
    try await withAppStore { appStore in
      let first = try await appStore.phone()
      for _ in 0..<3 { try await first.bought(ShopFixture.credit) }
      await (try first.bought(ShopFixture.unlock)).finish()
      let relaunched = try await appStore.phone()
      let updates = try await Updates(relaunched)
      for expected in [0, 1, 2] as [UInt64] { #expect(try await updates.next().id == expected) }
      let second = try await Updates(relaunched)
      try await appStore.buy(ShopFixture.credit, for: "anna")
      #expect(try await updates.next().id == 4)
      #expect(try await second.next().id == 4, "only the first listener gets the replay")
    }
  }

  @Test func `a purchase arrives on other devices and launches, not in the launch that made it`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let own = try await Updates(phone)
      let other = try await Updates(appStore.laptop())
      let sameDevice = try await Updates(appStore.phone())
      try await phone.bought(ShopFixture.credit)
      #expect(try await other.next().id == 0)
      #expect(try await sameDevice.next().id == 0)
      try await appStore.buy(ShopFixture.credit, for: "anna")
      #expect(try await own.next().id == 1, "its own purchase did not arrive")
    }
  }

  @Test func `an echo brings the own purchase too, as often as copies are wanted`() async throws {
    try await withAppStore { appStore in
      try await appStore.setUpdateDelivery(copies: 3, echoesPurchases: true)
      let phone = try await appStore.phone()
      let updates = try await Updates(phone)
      try await phone.bought(ShopFixture.credit)
      for _ in 0..<3 { #expect(try await updates.next().id == 0) }
      try await appStore.setUpdateDelivery()
      try await appStore.buy(ShopFixture.credit, for: "anna")
      #expect(try await updates.next().id == 1)
    }
  }

  @Test func `delayed updates arrive when their time has come, in the order that the seed draws`() async throws {
    try await withAppStore { appStore in
      let updates = try await Updates(appStore.phone())
      try await appStore.setUpdateDelivery(delay: .seconds(1)...(.seconds(100)))
      for _ in 0..<6 { try await appStore.buy(ShopFixture.credit, for: "anna") }
      let arrivals = try await appStore.ledger.read { try $0.list(LedgerEvent.self, by: "number") }
        .map { ($0.arrivalDates[0], $0.transactionNumber ?? 0) }.sorted { $0 < $1 }
      #expect(arrivals.map(\.1) != [0, 1, 2, 3, 4, 5], "the seed 7 draws another order")
      try await appStore.setUpdateDelivery()
      for (arrival, id) in arrivals {
        let now = try await appStore.now()
        if arrival > now {
          try await appStore.advanceClock(by: .milliseconds(arrival.milliseconds - now.milliseconds - 1))
          // Not there yet: what comes next is younger and has no delay.
          try await appStore.resend(0)
          #expect(try await updates.next().id == 0)
          try await appStore.advanceClock(by: .milliseconds(1))
        }
        #expect(try await updates.next().id == id)
      }
    }
  }

  @Test func `a delay passes by itself while the clock runs`() async throws {
    try await withAppStore { appStore in
      try await appStore.startClock()
      try await appStore.setUpdateDelivery(delay: .milliseconds(50)...(.milliseconds(60)))
      let updates = try await Updates(appStore.phone())
      let bought = try await appStore.buy(ShopFixture.credit, for: "anna")
      #expect(try await updates.next().id == bought)
      #expect(try await appStore.now() >= ShopFixture.start.addingTimeInterval(0.05))
    }
  }

  @Test func `a refund arrives under the same id with its date, and its reversal without`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let bought = try await phone.bought(ShopFixture.credit)
      await bought.finish()
      let updates = try await Updates(phone)
      try await appStore.advanceClock(by: .seconds(60))
      try await appStore.refund(bought.id, reason: .developerIssue)
      let refunded = try await updates.next()
      #expect(refunded.id == bought.id)
      #expect(refunded.revocationDate == ShopFixture.start.addingTimeInterval(60))
      #expect(refunded.revocationReason == .developerIssue)
      #expect(refunded.revocationType == .fullRefund)
      #expect(refunded.revocationPercentage == 100)
      #expect(try await phone.ids(.unfinished).isEmpty, "a refund does not make it unfinished")
      #expect(try await phone.all(.all).first?.revocationDate != nil, "a refunded consumable is listed")
      try await appStore.reverseRefund(bought.id)
      let reversed = try await updates.next()
      #expect(reversed.id == bought.id)
      #expect(reversed.revocationDate == nil)
      #expect(reversed.revocationPercentage == nil)
      #expect(await testingErrorCode { try await appStore.reverseRefund(bought.id) } == .invalidRequest)
      try await appStore.refund(bought.id, percentage: Decimal(33_333) / 1000)
      let prorated = try await updates.next()
      #expect(prorated.revocationType == .proratedRefund)
      #expect(prorated.revocationPercentage == Decimal(string: "33.333"))
      #expect(await testingErrorCode { try await appStore.refund(bought.id) } == .invalidRequest)
      #expect(await testingErrorCode { try await appStore.refund(bought.id, percentage: 0) } == .invalidRequest)
    }
  }

  @Test func `a refund between the launch and the first listener is not lost`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      await (try phone.bought(ShopFixture.credit)).finish()
      let relaunched = try await appStore.phone()
      try await appStore.refund(0)
      let updates = try await Updates(relaunched)
      #expect(try await updates.next().revocationDate != nil)
    }
  }

  @Test func `the app's own request for a refund is granted and arrives`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let bought = try await phone.bought(ShopFixture.credit)
      await bought.finish()
      let updates = try await Updates(phone)
      #expect(try await bought.beginRefundRequest() == .success)
      #expect(try await updates.next().revocationDate != nil)
      await #expect(throws: Transaction.RefundRequestError.duplicateRequest) {
        try await bought.beginRefundRequest()
      }
    }
  }

  @Test func `a cancelled listener ends, and a new one hears the rest`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let (heard, hear) = AsyncStream.makeStream(of: UInt64.self)
      try await appStore.buy(ShopFixture.credit, for: "anna")
      let task = Task {
        for try await result in phone.transactionUpdates() { hear.yield(try result.payloadValue.id) }
        return true
      }
      var iterator = heard.makeAsyncIterator()
      #expect(await iterator.next() == 0)
      task.cancel()
      #expect(try await task.value, "the loop ends without an error")
      let second = try await Updates(phone)
      try await appStore.buy(ShopFixture.credit, for: "anna")
      #expect(try await second.next().id == 1)
    }
  }

  @Test func `a change of storefront is told`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await appStore.addAccount("ben")
      var storefronts = phone.storefrontUpdates().makeAsyncIterator()
      try await appStore.setStorefront("UKR", for: "ben")
      try await appStore.setStorefront("UKR", for: "anna")
      let storefront = await storefronts.next()
      #expect(storefront?.countryCode == "UKR")
      #expect(storefront?.currency?.identifier == "UAH")
      #expect(try await phone.currentStorefront() == storefront)
      try await phone.bought(ShopFixture.credit)
      #expect(try await appStore.entry(0).currency == "UAH")
    }
  }
}
