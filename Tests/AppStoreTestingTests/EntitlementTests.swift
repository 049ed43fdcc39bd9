import AppStorePurchases
import Foundation
import Testing

@testable import AppStoreTesting

@Suite struct `Entitlements` {
  @Test func `a consumable never entitles, whatever its state`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let bought = try await phone.bought(ShopFixture.credit)
      #expect(try await phone.ids(.currentEntitlements).isEmpty)
      await bought.finish()
      #expect(try await phone.ids(.currentEntitlements).isEmpty)
      #expect(try await phone.ids(.currentEntitlement(productID: ShopFixture.credit)).isEmpty)
    }
  }

  @Test func `a non-consumable entitles unless it is revoked, finished or not`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let bought = try await phone.bought(ShopFixture.unlock)
      #expect(try await phone.ids(.currentEntitlements) == [0])
      await bought.finish()
      #expect(try await phone.ids(.currentEntitlement(productID: ShopFixture.unlock)) == [0])
      try await appStore.refund(0)
      #expect(try await phone.ids(.currentEntitlements).isEmpty)
      try await appStore.reverseRefund(0)
      #expect(try await phone.ids(.currentEntitlements) == [0])
    }
  }

  @Test func `each non-renewing subscription entitles for itself, without an end`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      for _ in 0..<2 { #expect(try await phone.bought(ShopFixture.season).expirationDate == nil) }
      #expect(try await phone.ids(.currentEntitlements) == [1, 0])
    }
  }

  @Test func `the newest transaction of a product is found, revoked or not`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      for _ in 0..<2 { await (try phone.bought(ShopFixture.credit)).finish() }
      try await phone.bought(ShopFixture.unlock)
      try await appStore.refund(1)
      try await AppStore.withClient(phone) {
        let latest = try #require(await Transaction.latest(for: ShopFixture.credit))
        #expect(try latest.payloadValue.id == 1)
        #expect(try latest.payloadValue.revocationDate != nil)
      }
      #expect(try await phone.ids(.history(productID: ShopFixture.credit)) == [1, 0])
    }
  }

  @Test func `a family has what may be shared, and loses it with the refund`() async throws {
    try await withAppStore { appStore in
      try await appStore.addAccount("ben")
      for name in ["anna", "ben"] { try await appStore.setFamily("green", for: name) }
      let phone = try await appStore.phone()
      let ben = try await appStore.launch(account: "ben", device: "tablet")
      let news = try await Updates(ben)
      try await phone.bought(ShopFixture.credit)
      try await phone.bought(ShopFixture.unlock, options: [.appAccountToken(UUID())])
      let share = try await news.next()
      #expect(share.productID == ShopFixture.unlock, "a consumable is not shared")
      #expect(share.ownershipType == .familyShared)
      #expect(share.id == 2)
      #expect(share.appAccountToken == nil)
      #expect(try await ben.ids(.currentEntitlements) == [2])
      try await appStore.refund(1)
      let revoked = try await news.next()
      #expect(revoked.id == 2)
      #expect(revoked.revocationType == .familyRevocation)
      #expect(try await ben.ids(.currentEntitlements).isEmpty)
      try await appStore.reverseRefund(1)
      #expect(try await news.next().revocationDate == nil)
      #expect(try await ben.ids(.currentEntitlements) == [2])
    }
  }

  @Test func `a share of a consumable can be forced, for apps that must refuse it`() async throws {
    try await withAppStore { appStore in
      try await appStore.addAccount("ben")
      let ben = try await appStore.launch(account: "ben", device: "tablet")
      let news = try await Updates(ben)
      try await appStore.phone().bought(ShopFixture.credit)
      let id = try await appStore.share(0, with: "ben")
      let share = try await news.next()
      #expect(share.id == id)
      #expect(share.productType == .consumable)
      #expect(share.ownershipType == .familyShared)
    }
  }
}
