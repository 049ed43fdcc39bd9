import AppStorePurchases
import Foundation
import Testing

@testable import AppStoreTesting

/// An app decides by the date of signing which of two tokens of one transaction is the newer word. A token whose date
/// was newer than its state made an app's own launch "reverse" a refund that another process had written meanwhile.
@Suite struct SigningTimeTests {
  @Test func `what is refunded while an app goes through the history is refunded when its turn comes`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      for _ in 0..<3 { try await phone.bought(ShopFixture.credit) }
      for scope in [TransactionScope.all, .unfinished, .history(productID: ShopFixture.credit)] {
        var entries = phone.transactions(scope).makeAsyncIterator()
        let first = try #require(try await entries.next()).payloadValue
        #expect(first.id == 2 && first.revocationDate == nil)
        try await appStore.refund(1)
        let second = try #require(try await entries.next()).payloadValue
        #expect(second.id == 1 && second.revocationDate != nil)
        try await appStore.reverseRefund(1)
      }
    }
  }

  @Test func `a replay tells what became of a transaction since it was counted`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      for _ in 0..<2 { try await phone.bought(ShopFixture.credit) }
      let updates = try await Updates(appStore.laptop())
      #expect(try await updates.next().id == 0)
      try await appStore.refund(1)
      #expect(try await updates.next().revocationDate != nil)
    }
  }

  @Test func `what is refunded while an app asks for its entitlements entitles to nothing`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      for _ in 0..<2 { try await phone.bought(ShopFixture.season) }
      var entries = phone.transactions(.currentEntitlements).makeAsyncIterator()
      #expect(try await entries.next()?.payloadValue.id == 1)
      try await appStore.refund(0)
      #expect(try await entries.next() == nil)
    }
  }

  @Test func `a token of an older state is signed earlier than one of a newer state, also while the clock stands`()
    async throws
  {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      var dates = [try await phone.bought(ShopFixture.credit).signedDate]
      for _ in 0..<3 {
        try await appStore.refund(0)
        dates.append(try #require(try await phone.all(.all).first).signedDate)
        try await appStore.reverseRefund(0)
        dates.append(try #require(try await phone.all(.all).first).signedDate)
      }
      #expect(zip(dates, dates.dropFirst()).allSatisfy { $0 < $1 }, "\(dates)")
    }
  }

  /// A device that had heard of a refund took its reversal for an older word, and the credits were gone.
  @Test func `a state is signed later than what an app has finished, also once the clock was set back`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      _ = try await phone.bought(ShopFixture.credit)
      try await appStore.refund(0)
      try await appStore.advanceClock(by: .seconds(86_400))
      let refunded = try #require(try await phone.all(.all).first)
      try await phone.finish(refunded)
      try await appStore.stopClock(at: refunded.signedDate.addingTimeInterval(-43_200))
      try await appStore.reverseRefund(0)
      let reversed = try #require(try await phone.all(.all).first)
      #expect(reversed.revocationDate == nil && reversed.signedDate > refunded.signedDate)
    }
  }
}
