import AstroSvitla
import Foundation
import Synchronization
import Tandem
import Testing

@Suite struct SpendingTests {
  private struct Failing: ReportWriter {
    struct Trouble: Error {}
    func write(_ area: ReportArea, for chart: NatalChart, in language: AppLanguage) async throws -> String {
      throw Trouble()
    }
  }

  private func phone(_ shop: Shop, _ product: CreditProduct = .packOfFive) async throws -> Device {
    let phone = try await shop.device("phone")
    _ = try await phone.purchases.buy(product)
    return phone
  }

  @Test func `a report costs one credit and stands with its consumption, its price and its profile`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      let report = try await phone.report(1, area: .relationship)
      #expect(report.area == .relationship && report.wordCount > 80 && report.readingMinutes >= 1)
      #expect(report.price == 4 && report.currencyCode == "USD")
      #expect(try await phone.credits.availableCount() == 4)
      let profileID = try #require(try await phone.charts.profileIDs(named: "olena").first)
      #expect(try await phone.reports().reports(profileID: profileID).map(\.requestID) == [Fixtures.id(1)])
      #expect(try await phone.reports().reports(profileID: Fixtures.id(99)).isEmpty)
      let spent = try #require(try await phone.history.consumptions(profileID: profileID).first)
      #expect(spent.area == .relationship && spent.credit?.ordinal == 0)
    }
  }

  @Test func `a credit tells the report that it paid for, and the others none`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      try await phone.report(1)
      let key = try #require(try await phone.history.purchases().first).key
      let credits = try await phone.history.credits(of: key)
      #expect(credits.map(\.isConsumed) == [true, false, false, false, false])
      #expect(credits[0].consumption?.requestID == Fixtures.id(1) && credits[0].consumption?.area == .career)
      #expect(credits.map(\.isAvailable) == [false, true, true, true, true])
    }
  }

  @Test func `the same request gives the stored report without a second charge, and no other report`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      let first = try await phone.report(1)
      #expect(try await phone.report(1, writer: Failing()) == first)
      #expect(try await phone.credits.availableCount() == 4)
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.report(1, area: .wellness) }
      #expect(error?.code == .requestInUse)
    }
  }

  @Test func `one request asked for ten times at once is written as often and charged once`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      _ = try await phone.chart()
      let reports = try await withThrowingTaskGroup(of: ReportDetails.self) { group in
        for _ in 0..<10 { group.addTask { try await phone.report(1) } }
        return try await group.reduce(into: Set<ReportDetails>()) { $0.insert($1) }
      }
      #expect(reports.count == 1)
      let balance = try await phone.balance()
      #expect(balance.consumed == 1 && balance.available == 4)
      #expect(try await phone.credits.availableCount() == 4)
    }
  }

  @Test func `twelve requests at once over five credits make five reports, each with a credit of its own`() async throws
  {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      let other = try await shop.device("phone")
      _ = try await phone.chart()
      let made = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<12 {
          group.addTask {
            do {
              try await (number.isMultiple(of: 2) ? phone : other).report(number)
              return true
            } catch let error as AstroSvitlaError where error.code == .notEnoughCredits {
              return false
            } catch {
              Issue.record(error)
              return false
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(made == 5)
      let ledger = try await phone.credits.ledger()
      #expect(ledger.free.isEmpty && ledger.overdrafts.isEmpty)
      #expect(Set(ledger.payments.values).count == 5)
      #expect(try phone.count(ReportPurchase.self) == 5)
    }
  }

  @Test func `a report that cannot be written costs nothing, and its credit is free at once`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop, .single)
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.report(1, writer: Failing()) }
      #expect(error?.code == .generationFailed)
      #expect(try await phone.credits.availableCount() == 1)
      try await phone.report(2)
    }
  }

  @Test func `a held credit is nobody else's until its lease ends, and a lost lease takes another credit`() async throws
  {
    try await Shop.open { shop in
      let clock = Mutex(Fixtures.base)
      let phone = try await shop.device("phone", now: { clock.withLock { $0 } })
      _ = try await phone.purchases.buy(.single)
      let first = try await phone.credits.reserve(for: Fixtures.id(1), leaseSeconds: 60)
      #expect(try await phone.credits.reserve(for: Fixtures.id(1), leaseSeconds: 60).credit == first.credit)
      #expect(try await phone.credits.availableCount() == 0)
      let refusal = await #expect(throws: AstroSvitlaError.self) {
        try await phone.credits.reserve(for: Fixtures.id(2))
      }
      #expect(refusal?.code == .notEnoughCredits)
      clock.withLock { $0 += 61 }
      #expect(try await phone.credits.reserve(for: Fixtures.id(2)).credit == first.credit)
      let order = try ReportOrder(chartID: try await phone.chart(), area: .career, language: .english)
      let text = try ReportText("a text", language: .english)
      let error = await #expect(throws: AstroSvitlaError.self) {
        try await phone.credits.consume(Fixtures.id(1), for: order, text: text)
      }
      #expect(error?.code == .reservationLost)
      _ = try await phone.credits.consume(Fixtures.id(2), for: order, text: text)
      #expect(try await phone.balance().consumed == 1)
    }
  }

  @Test func `a lease that a wrong clock made to last for years holds nothing`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop, .single)
      let wrong = CreditManager(phone.store, now: { .now.addingTimeInterval(10 * 365 * 86_400) })
      _ = try await wrong.reserve(for: Fixtures.id(1))
      #expect(try await phone.credits.availableCount() == 1)
      try await phone.report(2)
      #expect(try await phone.balance().available == 0)
    }
  }

  @Test func `a lease that ends while the report is written is taken anew, and the report is kept`() async throws {
    try await Shop.open { shop in
      let clock = Mutex(Fixtures.base)
      let phone = try await shop.device("phone", now: { clock.withLock { $0 } })
      _ = try await phone.purchases.buy(.packOfFive)
      let writer = Interrupted {
        clock.withLock { $0 += 3_600 }
        _ = try await phone.credits.reserve(for: Fixtures.id(2), leaseSeconds: 600)
      }
      try await phone.report(1, writer: writer)
      #expect(try await phone.balance().consumed == 1)
      #expect(try await phone.credits.availableCount() == 3)
      try await phone.credits.release(Fixtures.id(2))
      #expect(try await phone.credits.availableCount() == 4)
    }
  }

  @Test func `the oldest purchase is spent first`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop, .single)
      _ = try await phone.purchases.buy(.packOfFive)
      let oldest = try await phone.history.purchases().last
      let reservation = try await phone.credits.reserve(for: Fixtures.id(1))
      #expect(reservation.credit.transaction == oldest?.key.text)
    }
  }

  @Test func `deleting a purchase takes its credits along, and its reports stay`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      try await phone.report(1)
      let context = ModelContext(phone.store.container)
      for record in try context.fetch(FetchDescriptor<PurchaseRecord>()) { context.delete(record) }
      try context.save()
      #expect(try phone.count(PurchaseCredit.self) == 0)
      #expect(try phone.count(ReportPurchase.self) == 1)
      #expect(try await phone.balance().overdrawn == 0)
      // The once ledger outlives the record: what was delivered is not delivered again.
      _ = try await phone.purchases.restore()
      #expect(try await phone.credits.availableCount() == 0)
    }
  }

  @Test func `deleting a user takes charts and reports along`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      try await phone.report(1)
      let context = ModelContext(phone.store.container)
      for user in try context.fetch(FetchDescriptor<User>()) { context.delete(user) }
      try context.save()
      #expect(try phone.count(BirthChart.self) == 0)
      #expect(try phone.count(ReportPurchase.self) == 0)
      #expect(try phone.count(UserProfile.self) == 0)
      #expect(try await phone.balance().consumed == 1)
    }
  }

  @Test func `history goes by range of dates, the newest first`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      try await phone.report(1)
      let date = try #require(try await phone.history.purchases().first).purchaseDate
      #expect(try await phone.history.purchases(in: date..<date.addingTimeInterval(1)).count == 1)
      #expect(try await phone.history.purchases(in: .distantPast..<date).isEmpty)
      #expect(try await phone.reports().reports(in: .distantPast..<date).isEmpty)
      #expect(try await phone.reports().reports(in: date..<(.distantFuture)).count == 1)
    }
  }

  @Test func `an area that nobody knows is read back as it was written`() async throws {
    try await Shop.open { shop in
      let phone = try await phone(shop)
      let chartID = try await phone.chart()
      let context = ModelContext(phone.store.container)
      let chart = try #require(try context.fetch(FetchDescriptor<BirthChart>()).first { $0.id == chartID })
      for (number, name) in ["money2031", "finances", "health"].enumerated() {
        context.insert(
          ReportPurchase(
            requestID: Fixtures.id(number), area: ReportArea(rawValue: name),
            text: try ReportText("old text", language: .ukrainian), price: nil, currencyCode: nil,
            generatedAt: Fixtures.base.addingTimeInterval(Double(number)), profileID: Fixtures.id(9), chart: chart))
      }
      try context.save()
      #expect(
        try await phone.reports().reports(profileID: Fixtures.id(9)).map(\.area.rawValue)
          == ["health", "finances", "money2031"])
    }
  }
}
