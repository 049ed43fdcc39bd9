import AppStorePurchases
import Foundation
import Testing

@testable import AppStoreTesting

@Suite struct `Subscriptions` {
  private static func day(_ year: Int, _ month: Int, _ day: Int) throws -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return try #require(calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 9)))
  }

  @Test func `a subscription of the 31st is charged at the end of each month`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      let first = try await phone.bought(ShopFixture.monthly)
      #expect(first.purchaseDate == (try Self.day(2027, 1, 31)))
      #expect(first.expirationDate == (try Self.day(2027, 2, 28)))
      let news = try await Updates(phone)
      #expect(try await news.next().id == 0)
      try await appStore.advanceClock(by: .seconds(65 * 86400))
      for (start, end) in [((2027, 2, 28), (2027, 3, 31)), ((2027, 3, 31), (2027, 4, 30))] {
        let renewal = try await news.next()
        #expect(renewal.purchaseDate == (try Self.day(start.0, start.1, start.2)))
        #expect(renewal.expirationDate == (try Self.day(end.0, end.1, end.2)))
        #expect(renewal.originalID == 0)
        #expect(renewal.originalPurchaseDate == first.purchaseDate)
        #expect(renewal.reason == .renewal)
      }
      #expect(try await phone.ids(.currentEntitlements) == [2], "only the newest entitles")
      #expect(try await phone.ids(.unfinished) == [2, 1, 0])
    }
  }

  @Test func `at a rate, months pass while a test looks on, up to the limit`() async throws {
    try await withAppStore { appStore in
      try await appStore.setSubscriptionRate(monthLasts: .seconds(30), maximumRenewals: 3)
      let phone = try await appStore.phone()
      let first = try await phone.bought(ShopFixture.monthly)
      #expect(first.expirationDate == ShopFixture.start.addingTimeInterval(30))
      let statuses = try await AppStore.withClient(phone) {
        try await Product.SubscriptionInfo.status(for: ShopFixture.group)
      }
      let status = try #require(statuses.first)
      #expect(status.state == .subscribed)
      let renewal = try status.renewalInfo.payloadValue
      #expect(renewal.willAutoRenew)
      #expect(renewal.renewalDate == first.expirationDate)
      #expect(renewal.renewalPrice == Decimal(string: "7.99"))
      try await appStore.advanceClock(by: .seconds(3600))
      #expect(try await appStore.entries().count == 4)
      #expect(try await phone.ids(.currentEntitlements).isEmpty)
      let ended = try #require(try await phone.subscriptionStatuses(groupID: ShopFixture.group).first)
      #expect(ended.state == .expired)
      #expect(try ended.renewalInfo.payloadValue.expirationReason == .autoRenewDisabled)
      #expect(try ended.transaction.payloadValue.id == 3)
    }
  }

  @Test func `hundreds of renewals are caught up with, each once`() async throws {
    try await withAppStore { appStore in
      try await appStore.setSubscriptionRate(monthLasts: .seconds(1), maximumRenewals: nil)
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.monthly)
      try await appStore.advanceClock(by: .seconds(450))
      let entries = try await appStore.entries()
      #expect(entries.map(\.id) == Array(0...450))
      #expect(entries.map(\.purchaseDate) == (0...450).map { ShopFixture.start.addingTimeInterval(Double($0)) })
    }
  }

  /// The clock is another process's, which charges nothing: the client itself must catch up, and not hand out the first
  /// period as the running one.
  @Test func `a purchase after hundreds of due renewals sees the last of them`() async throws {
    try await withAppStore { appStore in
      try await appStore.setSubscriptionRate(monthLasts: .seconds(1), maximumRenewals: nil)
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.monthly)
      try await appStore.stopClock(at: ShopFixture.start.addingTimeInterval(450.5))
      #expect(try await phone.bought(ShopFixture.monthly).id == 450)
      try await appStore.stopClock(at: ShopFixture.start.addingTimeInterval(460.5))
      try await appStore.setAutoRenew(false, for: "anna", groupID: ShopFixture.group)
      #expect(try await appStore.entries().count == 461)
      try await appStore.stopClock(at: ShopFixture.start.addingTimeInterval(470))
      #expect(try await appStore.buy(ShopFixture.monthly, for: "anna") == 461)
    }
  }

  @Test func `renewals happen by themselves while somebody listens`() async throws {
    try await withAppStore { appStore in
      try await appStore.startClock()
      try await appStore.setSubscriptionRate(monthLasts: .milliseconds(80), maximumRenewals: 2)
      let phone = try await appStore.phone()
      let news = try await Updates(phone)
      try await phone.bought(ShopFixture.monthly)
      #expect(try await news.next().id == 1)
      #expect(try await news.next().id == 2)
    }
  }

  @Test func `a card that fails leads through grace and retry to the end`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await appStore.setBillingGracePeriod(days: 16)
      try await phone.bought(ShopFixture.monthly)
      try await appStore.setFailsRenewals(true, for: "anna")
      func state(after days: Int) async throws -> Product.SubscriptionInfo.Status {
        try await appStore.advanceClock(by: .seconds(days * 86400))
        return try #require(try await phone.subscriptionStatuses(groupID: ShopFixture.group).first)
      }
      let grace = try await state(after: 29)
      #expect(grace.state == .inGracePeriod)
      #expect(try grace.renewalInfo.payloadValue.isInBillingRetry)
      #expect(
        try grace.renewalInfo.payloadValue.gracePeriodExpirationDate == (try Self.day(2027, 3, 16)))
      #expect(try await phone.ids(.currentEntitlements) == [0], "it is served in the grace period")
      let retry = try await state(after: 20)
      #expect(retry.state == .inBillingRetryPeriod)
      #expect(try await phone.ids(.currentEntitlements).isEmpty)
      let expired = try await state(after: 50)
      #expect(expired.state == .expired)
      #expect(try expired.renewalInfo.payloadValue.expirationReason == .billingError)
      #expect(try await appStore.entries().count == 1, "nothing was charged")
    }
  }

  @Test(arguments: [(days: 30, start: (2027, 2, 28)), (days: 50, start: (2027, 3, 22))])
  func `a payment that succeeds at last counts from the grace, or from now after a gap`(
    days: Int, start: (Int, Int, Int)
  ) async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await appStore.setBillingGracePeriod(days: 6)
      try await phone.bought(ShopFixture.monthly)
      try await appStore.setFailsRenewals(true, for: "anna")
      try await appStore.advanceClock(by: .seconds(days * 86400))
      try await appStore.setFailsRenewals(false, for: "anna")
      let renewal = try await appStore.entry(1)
      #expect(renewal.purchaseDate == (try Self.day(start.0, start.1, start.2)))
      #expect(try await phone.subscriptionStatuses(groupID: ShopFixture.group).first?.state == .subscribed)
      #expect(try await phone.ids(.currentEntitlements) == [1])
    }
  }

  @Test func `a renewal that is turned off ends at the end of the period, and can be turned on before`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      var statuses = phone.subscriptionStatusUpdates().makeAsyncIterator()
      try await phone.bought(ShopFixture.monthly)
      #expect(await statuses.next()?.state == .subscribed)
      try await appStore.setAutoRenew(false, for: "anna", groupID: ShopFixture.group)
      let off = try #require(await statuses.next())
      #expect(off.state == .subscribed)
      #expect(try !off.renewalInfo.payloadValue.willAutoRenew)
      #expect(try await phone.bought(ShopFixture.monthly).id == 0, "buying again turns it on, for nothing")
      #expect(try (await statuses.next())?.renewalInfo.payloadValue.willAutoRenew == true)
      try await appStore.setAutoRenew(false, for: "anna", groupID: ShopFixture.group)
      _ = await statuses.next()
      try await appStore.advanceClock(by: .seconds(29 * 86400))
      #expect(await statuses.next()?.state == .expired)
      #expect(try await phone.ids(.currentEntitlements).isEmpty)
      let again = try await phone.bought(ShopFixture.monthly)
      #expect(again.id == 1)
      #expect(again.originalID == 0, "the same subscription begins again")
      #expect(again.reason == .purchase)
    }
  }

  @Test func `a higher service begins at once, a lower one when the period ends`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.basic)
      try await appStore.advanceClock(by: .seconds(10 * 86400))
      let upgrade = try await phone.bought(ShopFixture.monthly)
      #expect(upgrade.id == 1)
      #expect(upgrade.originalID == 0)
      #expect(try await appStore.entry(0).isUpgraded)
      #expect(try await phone.ids(.currentEntitlements) == [1])
      let downgrade = try await phone.bought(ShopFixture.basic)
      #expect(downgrade.id == 1, "the paid service goes on")
      let status = try #require(try await phone.subscriptionStatuses(groupID: ShopFixture.group).first)
      #expect(try status.renewalInfo.payloadValue.autoRenewPreference == ShopFixture.basic)
      #expect(try status.renewalInfo.payloadValue.currentProductID == ShopFixture.monthly)
      try await appStore.advanceClock(by: .seconds(31 * 86400))
      #expect(try await appStore.entry(2).productID == ShopFixture.basic)
      #expect(try await phone.ids(.currentEntitlements) == [2])
    }
  }

  @Test func `a service of the same rank begins at once only if its periods are as long`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.monthly)
      #expect(try await phone.bought(ShopFixture.twin).id == 1)
      #expect(try await !appStore.entry(0).isUpgraded)
      #expect(try await phone.ids(.currentEntitlements) == [1])
      #expect(try await phone.bought(ShopFixture.yearly).id == 1)
      try await appStore.advanceClock(by: .seconds(29 * 86400))
      #expect(try await appStore.entry(2).productID == ShopFixture.yearly)
      #expect(try await appStore.entries().count == 3)
    }
  }

  @Test func `a free trial is for accounts that never had one, then the price is paid`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      #expect(try await phone.isEligibleForIntroductoryOffer(groupID: ShopFixture.trialGroup))
      let trial = try await phone.bought(ShopFixture.trial)
      #expect(trial.price == 0)
      #expect(trial.offer?.type == .introductory)
      #expect(trial.offer?.paymentMode == .freeTrial)
      #expect(trial.expirationDate == ShopFixture.start.addingTimeInterval(7 * 86400))
      #expect(try await !phone.isEligibleForIntroductoryOffer(groupID: ShopFixture.trialGroup))
      try await appStore.advanceClock(by: .seconds(8 * 86400))
      let paid = try await appStore.entry(1)
      #expect(paid.price == Decimal(string: "5.99"))
      #expect(paid.expirationDate == (try Self.day(2027, 3, 7)))
      try await appStore.expireSubscription(for: "anna", groupID: ShopFixture.trialGroup)
      #expect(try await phone.bought(ShopFixture.trial).price == Decimal(string: "5.99"))
    }
  }

  @Test func `an offer with several charges lasts as long as it says`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.paced)
      try await appStore.advanceClock(by: .seconds(140 * 86400))
      let entries = try await appStore.entries()
      #expect(entries.map { "\($0.price)" } == ["1.99", "1.99", "1.99", "5.99", "5.99"])
      #expect(entries.last?.expirationDate == (try Self.day(2027, 6, 30)), "month ends stay month ends")
    }
  }

  @Test func `a promotional offer is taken by its name, and only with a signature`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      await #expect(throws: Product.PurchaseError.invalidOfferIdentifier) {
        try await phone.buy(ShopFixture.yearly, options: [.promotionalOffer("none", compactJWS: "a.b.c")])
      }
      await #expect(throws: Product.PurchaseError.invalidOfferSignature) {
        try await phone.buy(ShopFixture.yearly, options: [.promotionalOffer("come.back", compactJWS: "")])
      }
      await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
        try await phone.buy(ShopFixture.yearly, options: [.introductoryOfferEligibility(compactJWS: "a.b.c")])
      }
      #expect(try await appStore.entries().isEmpty)
      let half = try await phone.bought(
        ShopFixture.yearly, options: [.promotionalOffer("come.back", compactJWS: "a.b.c")])
      #expect(half.price == Decimal(string: "39.99"))
      #expect(half.offer?.id == "come.back")
      #expect(half.offer?.type == .promotional)
      #expect(half.expirationDate == (try Self.day(2027, 7, 31)))
      try await appStore.advanceClock(by: .seconds(200 * 86400))
      let whole = try await appStore.entry(1)
      #expect(whole.price == Decimal(string: "79.99"))
      #expect(whole.expirationDate == (try Self.day(2028, 7, 31)), "the year counts from the offer's end")
    }
  }

  @Test func `a refund revokes the subscription, its reversal brings it back`() async throws {
    try await withAppStore { appStore in
      let phone = try await appStore.phone()
      try await phone.bought(ShopFixture.monthly)
      try await appStore.refund(0)
      #expect(try await phone.subscriptionStatuses(groupID: ShopFixture.group).first?.state == .revoked)
      #expect(try await phone.ids(.currentEntitlements).isEmpty)
      try await appStore.reverseRefund(0)
      #expect(try await phone.subscriptionStatuses(groupID: ShopFixture.group).first?.state == .subscribed)
      #expect(try await phone.ids(.currentEntitlements) == [0])
    }
  }

  @Test func `a family shares each renewal`() async throws {
    try await withAppStore { appStore in
      try await appStore.addAccount("ben")
      for name in ["anna", "ben"] { try await appStore.setFamily("green", for: name) }
      let ben = try await appStore.launch(account: "ben", device: "tablet")
      try await appStore.phone().bought(ShopFixture.monthly)
      try await appStore.advanceClock(by: .seconds(29 * 86400))
      #expect(try await ben.ids(.currentEntitlements) == [3])
      let status = try #require(try await ben.subscriptionStatuses(groupID: ShopFixture.group).first)
      #expect(try status.transaction.payloadValue.ownershipType == .familyShared)
    }
  }
}
