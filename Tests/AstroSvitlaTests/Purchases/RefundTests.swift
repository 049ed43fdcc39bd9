import AppStorePurchases
import AppStoreTesting
import Foundation
import RecordStore
import Tandem
import Testing

@testable import AstroSvitla

@Suite struct RefundTests {
  private func buyFive(_ shop: Shop) async throws -> (Device, UInt64) {
    let phone = try await shop.device("phone")
    _ = try await phone.purchases.buy(.packOfFive)
    return (phone, try #require(try await shop.appStore.entries().first).id)
  }

  @Test func `a refund while the app is closed is found at launch, and takes the unused credits`() async throws {
    try await Shop.open { shop in
      let (phone, id) = try await buyFive(shop)
      try await phone.report(1)
      try await phone.report(2)
      try await shop.appStore.refund(id)
      let report = try await phone.purchases.launch(listens: false)
      guard case .revoked(_, used: 2)? = report.outcomes.first else {
        Issue.record("\(report.outcomes)")
        return
      }
      let balance = try await phone.balance()
      #expect(balance.available == 0 && balance.revoked == 3 && balance.consumed == 2 && balance.overdrawn == 0)
      let purchase = try #require(try await phone.history.purchases().first)
      #expect(purchase.revokedAt != nil && purchase.creditsUsed == 2 && purchase.creditsGranted == 5)
      #expect(try await phone.reports().reports().count == 2)
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.report(3) }
      #expect(error?.code == .notEnoughCredits)
    }
  }

  @Test func `a second launch has nothing more to say about a refund`() async throws {
    try await Shop.open { shop in
      let (phone, id) = try await buyFive(shop)
      try await shop.appStore.refund(id)
      #expect(try await phone.purchases.launch(listens: false).outcomes.count == 1)
      #expect(try await phone.purchases.launch(listens: false).outcomes.isEmpty)
    }
  }

  @Test func `a reversed refund gives the credits back, and spent ones stay spent`() async throws {
    try await Shop.open { shop in
      let (phone, id) = try await buyFive(shop)
      try await phone.report(1)
      try await shop.appStore.refund(id)
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.credits.availableCount() == 0)
      try await shop.appStore.reverseRefund(id)
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.credits.availableCount() == 4)
      #expect(try await phone.history.purchases().first?.revokedAt == nil)
    }
  }

  @Test(arguments: [
    (CreditProduct.packOfFive, Decimal(40), 0, 3), (.packOfFive, 40, 2, 1), (.packOfFive, 40, 4, 0),
    (.packOfFive, 50, 0, 2), (.packOfTen, 1, 0, 10), (.packOfTen, 99, 0, 0), (.single, 49, 0, 1), (.single, 50, 0, 0),
  ])
  func `a prorated refund takes the credits that it pays for, rounded, and spent ones stay spent`(
    product: CreditProduct, percentage: Decimal, used: Int, left: Int
  ) async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(product)
      for number in 0..<used { try await phone.report(number) }
      let entry = try #require(try await shop.appStore.entries().first)
      try await shop.appStore.refund(entry.id, percentage: percentage)
      _ = try await phone.purchases.launch(listens: false)
      let balance = try await phone.balance()
      #expect(balance.available == left && balance.consumed == used && balance.overdrawn == 0)
      let spent = try await phone.history.statistics().spent["USD"] ?? 0
      #expect(spent > 0 && spent < entry.price)
      try await shop.appStore.reverseRefund(entry.id)
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.balance().available == product.credits - used)
      #expect(try await phone.history.statistics().spent == ["USD": entry.price])
    }
  }

  @Test func `a second prorated refund takes the larger part, and no copy of either takes anything more`() async throws
  {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.packOfTen)
      try await phone.report(1)
      var entries = phone.client.transactions(.all).makeAsyncIterator()
      var paid = PaidTransaction(try #require(try await entries.next()).payloadValue, signedText: "")
      let (bought, date) = (paid.signedAt, paid.signedAt.addingTimeInterval(1))
      var book = DeliveryBook(
        context: ModelContext(phone.store.container), installationID: phone.store.installation.id,
        observer: .silent, now: { Date() })
      // The last one is an old copy of the first.
      for (percentage, seconds, left) in [(40, 10.0, 5), (40, 20, 5), (80, 30, 1), (80, 40, 1), (40, 15, 1)] {
        paid.revocation = .init(date: date, percentage: Decimal(percentage))
        paid.signedAt = bought.addingTimeInterval(seconds)
        _ = try book.enter(paid, by: .updates)
        #expect(try await phone.credits.availableCount() == left, "\(percentage) %, signed after \(seconds) s")
      }
      #expect(try phone.count(RevocationNotice.self) == 2)
    }
  }

  @Test func `a refund arrives while the app runs`() async throws {
    try await Shop.open { shop in
      let (phone, id) = try await buyFive(shop)
      await phone.purchases.listen()
      try await shop.appStore.refund(id)
      try await phone.waitUntil { try await phone.credits.availableCount() == 0 }
      try await shop.appStore.reverseRefund(id)
      try await phone.waitUntil { try await phone.credits.availableCount() == 5 }
    }
  }

  @Test func `a purchase that was refunded before the app saw it brings nothing, unless the refund is reversed`()
    async throws
  {
    try await Shop.open { shop in
      let id = try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account)
      try await shop.appStore.refund(id)
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.credits.availableCount() == 0)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
      try await shop.appStore.reverseRefund(id)
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.credits.availableCount() == 5)
      #expect(try phone.count(PurchaseCredit.self) == 5)
    }
  }

  @Test func `a product that an older app did not know, refunded and given back, brings its credits to the newer app`()
    async throws
  {
    try await Shop.open { shop in
      // As the older app left it: refunded before it knew the product, so a record without credits.
      let id = try await shop.appStore.buy(CreditProduct.packOfTen.rawValue, for: Shop.account)
      try await shop.appStore.refund(id)
      let phone = try await shop.device("phone")
      var entries = phone.client.transactions(.all).makeAsyncIterator()
      let signed = try #require(try await entries.next())
      let paid = PaidTransaction(try signed.payloadValue, signedText: "")
      let context = ModelContext(phone.store.container)
      try context.transaction(once: paid.key.onceKey) {
        context.insert(PurchaseRecord(paid))
      }
      context.insert(RevocationNotice(paid))
      try context.save()
      try await shop.appStore.reverseRefund(id)
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.credits.availableCount() == 10)
      #expect(try await phone.history.purchases().map(\.creditsGranted) == [10])
      try await shop.appStore.refund(id)
      _ = try await phone.purchases.launch(listens: false)
      try await shop.appStore.reverseRefund(id)
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.credits.availableCount() == 10)
    }
  }

  /// Once it was written down that the refund was reversed, nothing asked for the credits any more.
  @Test func `credits that could not be stored when a refund was reversed come with the next launch`() async throws {
    try await Shop.open { shop in
      let id = try await shop.appStore.buy(CreditProduct.packOfFive.rawValue, for: Shop.account)
      try await shop.appStore.refund(id)
      let phone = try await shop.device("phone")
      var entries = phone.client.transactions(.all).makeAsyncIterator()
      let paid = PaidTransaction(try #require(try await entries.next()).payloadValue, signedText: "")
      let context = ModelContext(phone.store.container)
      // As an app left it that did not know the product, but for a credit that is in the way of storing the others.
      let obstacle = PurchaseRecord(paid)
      try context.transaction(once: paid.key.onceKey) { context.insert(obstacle) }
      context.insert(RevocationNotice(paid))
      let credit = PurchaseCredit(3, of: obstacle)
      context.insert(credit)
      try context.save()
      try await shop.appStore.reverseRefund(id)
      await #expect(throws: StoreError.self) { try await phone.purchases.launch(listens: false) }
      context.delete(credit)
      try context.save()
      _ = try await phone.purchases.launch(listens: false)
      #expect(try await phone.credits.availableCount() == 5)
      #expect(try await shop.appStore.entries().map(\.isFinished) == [true])
    }
  }

  @Test func `a credit that is refunded while its report is written pays for nothing`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.single)
      let id = try #require(try await shop.appStore.entries().first).id
      let writer = Interrupted {
        try await shop.appStore.refund(id)
        _ = try await phone.purchases.launch(listens: false)
      }
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.report(1, writer: writer) }
      #expect(error?.code == .notEnoughCredits)
      #expect(try phone.count(CreditConsumption.self) == 0)
      #expect(try phone.count(ReportPurchase.self) == 0)
    }
  }
}

/// A writer during whose work something else happens.
struct Interrupted: ReportWriter {
  let happening: @Sendable () async throws -> Void

  init(_ happening: @escaping @Sendable () async throws -> Void) { self.happening = happening }

  func write(_ area: ReportArea, for chart: NatalChart, in language: AppLanguage) async throws -> String {
    try await happening()
    return try await NatalReportWriter().write(area, for: chart, in: language)
  }
}
