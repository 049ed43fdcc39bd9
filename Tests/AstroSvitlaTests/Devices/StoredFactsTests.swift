import AppStorePurchases
import AppStoreTesting
import Foundation
import Tandem
import TestSupport
import Testing

@testable import AstroSvitla

/// Two devices that buy, spend, hear of refunds and edit apart, in every order: what is stored is true after every
/// merge, and equals the App Store's ledger once both have launched and met.
@Suite struct StoredFactsTests {
  /// One thing that somebody does.
  enum Step: String, CaseIterable, Sendable {
    case purchase, consume, refund, restore, rename, delete, recalculate
  }

  /// The two devices, and what a test has to remember of them.
  private struct World {
    let shop: Shop
    var devices: [Device]
    var request = 0

    init(_ shop: Shop) async throws {
      self.shop = shop
      devices = [try await shop.device("phone"), try await shop.device("laptop")]
      _ = try await devices[0].chart()
      try await shop.synchronize("phone", "laptop")
    }

    mutating func play(_ step: Step, on index: Int, _ generator: inout SeededGenerator) async throws {
      let device = devices[index]
      switch step {
      case .purchase: try await buy(device, &generator)
      case .consume: try await consume(device)
      case .refund: try await refundOrReverse(&generator)
      case .restore: _ = try await device.purchases.restore()
      case .rename, .recalculate, .delete: try await edit(step, device, &generator)
      }
    }

    /// Bought here, bought elsewhere, or paid for without an answer.
    private func buy(_ device: Device, _ generator: inout SeededGenerator) async throws {
      let product = generator.pick([CreditProduct.single, .packOfFive])
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: try await shop.appStore.buy(product.rawValue, for: Shop.account)
      case 1:
        try await shop.appStore.simulate(.losesAnswer(.networkError), on: .purchase, times: 1)
        let error = await #expect(throws: StoreKitError.self) { try await device.purchases.buy(product) }
        #expect(error?.description == StoreKitError.networkError(URLError(.unknown)).description)
      case 2:
        try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 1)
        _ = try await device.purchases.buy(product)
      default: _ = try await device.purchases.buy(product)
      }
    }

    private mutating func consume(_ device: Device) async throws {
      request += 1
      do {
        try await device.report(request)
      } catch let error as AstroSvitlaError where error.code == .notEnoughCredits {
        // A person who has none gets none.
        return
      }
    }

    private func refundOrReverse(_ generator: inout SeededGenerator) async throws {
      guard let entry = try await shop.appStore.entries().randomElement(using: &generator) else { return }
      if entry.revocationDate != nil { return try await shop.appStore.reverseRefund(entry.id) }
      try await shop.appStore.refund(entry.id, percentage: generator.oneIn(2) ? 40 : nil)
    }

    private func edit(_ step: Step, _ device: Device, _ generator: inout SeededGenerator) async throws {
      guard let chart = try await device.charts.charts().randomElement(using: &generator) else { return }
      switch step {
      case .rename: try await device.charts.rename(chart.id, to: "Chart \(Int.random(in: 0..<100, using: &generator))")
      case .recalculate:
        try await device.charts.recalculate(
          chart.id, chart: Fixtures.chart(shift: .random(in: 0..<90, using: &generator)))
      default: try await device.charts.delete(chart.id)
      }
    }

    /// What is stored is true on a device, whatever it has heard.
    func expectTrue(_ device: Device, _ trail: String) async throws {
      let ledger = try await device.credits.ledger()
      let balance = CreditBalance(ledger)
      #expect(
        balance.purchased + balance.overdrawn == balance.consumed + balance.revoked + balance.available, "\(trail)")
      let context = ModelContext(device.store.container)
      let standing = try context.creditStanding()
      #expect(standing.balance == balance && standing.free == ledger.free, "\(trail)")
      let profiles = Set(try context.fetch(FetchDescriptor<UserProfile>()).map(\.id))
      for consumption in try context.fetch(FetchDescriptor<CreditConsumption>()) {
        #expect(consumption.profileID.map(profiles.contains) ?? true, "\(trail)")
      }
      for purchase in try await device.history.purchases() {
        let credits = try await device.history.credits(of: purchase.key)
        #expect(credits.count == purchase.creditsGranted, "\(trail)")
        #expect(credits.count { $0.isConsumed } == purchase.creditsUsed, "\(trail)")
        let free = Set(ledger.free.map(\.key))
        #expect(credits.allSatisfy { $0.isAvailable == free.contains($0.key) }, "\(trail)")
        #expect(!credits.contains { $0.isConsumed && $0.isRevoked }, "\(trail)")
      }
    }

    /// After both have launched and met: the App Store's books, no more and no less.
    func expectLedger(_ trail: String) async throws {
      try await meet()
      for device in devices { _ = try await device.purchases.launch(listens: false) }
      try await meet()
      let entries = try await shop.appStore.entries()
      #expect(entries.allSatisfy { $0.isFinished }, "\(trail)")
      for device in devices {
        try await expectTrue(device, trail)
        let purchases = try await device.history.purchases().sorted { $0.key < $1.key }
        #expect(purchases.map(\.key.transactionID) == entries.map(\.id), "\(trail)")
        #expect(purchases.map(\.revokedAt) == entries.map(\.revocationDate), "\(trail)")
        #expect(purchases.allSatisfy { $0.finishedAt != nil }, "\(trail)")
        for (purchase, entry) in zip(purchases, entries) {
          #expect(purchase.creditsGranted == CreditProduct(rawValue: entry.productID)?.credits, "\(trail)")
        }
      }
      let views = try await [view(devices[0]), view(devices[1])]
      #expect(views[0] == views[1], "\(trail)")
    }

    private func view(_ device: Device) async throws -> [AnyHashable] {
      [
        try await device.credits.ledger(), try await device.history.purchases(),
        try await device.charts.charts().map(\.birth.name), try device.count(FinishNote.self),
      ]
    }

    private func meet() async throws {
      for _ in 0..<2 { try await shop.synchronize("phone", "laptop") }
    }
  }

  /// All orders in which a device buys, spends, hears of a refund and restores, with the other device's launch and
  /// meeting at each place.
  @Test(arguments: 0..<4)
  func `in every order of purchase, consumption, refund and restore, what is stored equals the ledger`(
    meeting: Int
  ) async throws {
    var generator = SeededGenerator.announced()
    // The short form plays each order with one place of meeting.
    for (index, order) in Self.orders(of: [.purchase, .consume, .refund, .restore]).enumerated()
    where TestLength.isLong || index % 4 == meeting {
      try await Shop.open { shop in
        var world = try await World(shop)
        for (place, step) in order.enumerated() {
          try await world.play(step, on: place % 2, &generator)
          if place == meeting { try await shop.synchronize("laptop", "phone") }
          for device in world.devices { try await world.expectTrue(device, "\(order) \(place)") }
        }
        try await world.expectLedger("\(order), met after \(meeting)")
      }
    }
  }

  @Test(arguments: 0..<12)
  func `after random histories of two devices, what is stored equals the ledger`(round: Int) async throws {
    var generator = SeededGenerator.announced("histories \(round)")
    try await Shop.open { shop in
      var world = try await World(shop)
      var trail = ""
      for _ in 0..<25 {
        let step = generator.pick(Step.allCases)
        let index = Int.random(in: 0...1, using: &generator)
        trail += "\(step) on \(index), "
        try await world.play(step, on: index, &generator)
        if generator.oneIn(4) {
          _ = try await world.devices[index].purchases.launch(listens: false)
          trail += "launch \(index), "
        }
        if generator.oneIn(4) {
          try await shop.synchronize("phone", "laptop")
          trail += "meet, "
        }
        // What is free is found from any earlier place.
        if generator.oneIn(3) { try ModelContext(world.devices[index].store.container).noteOpenCredits(after: 0) }
        try await world.expectTrue(world.devices[index], trail)
      }
      try await world.expectLedger(trail)
    }
  }

  private static func orders(of steps: [Step]) -> [[Step]] {
    guard steps.count > 1 else { return [steps] }
    return steps.indices.flatMap { index in
      var rest = steps
      let first = rest.remove(at: index)
      return orders(of: rest).map { [first] + $0 }
    }
  }

  @Test(arguments: [true, false])
  func `a purchase that its buyer delivered stays a purchase when another device recovered it too`(
    buyerFirst: Bool
  ) async throws {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      try await shop.appStore.simulate(.fails(.networkError), on: .finish, times: 2)
      _ = try await phone.purchases.buy(.packOfFive)
      #expect(try await laptop.purchases.restore().creditsDelivered == 5)
      let meeting = buyerFirst ? ("phone", "laptop") : ("laptop", "phone")
      for _ in 0..<2 { try await shop.synchronize(meeting.0, meeting.1) }
      for device in [phone, laptop] {
        let purchase = try #require(try await device.history.purchases().first)
        #expect(purchase.delivery == .purchase && purchase.restoredAt == nil)
        #expect(purchase.creditsGranted == 5)
      }
    }
  }

  @Test func `a credit says what it pays for, also after an overdraft was settled and after a refund`() async throws {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      _ = try await phone.purchases.buy(.single)
      _ = try await phone.chart()
      try await shop.synchronize("phone", "laptop")
      try await phone.report(1)
      try await laptop.report(2)
      _ = try await phone.purchases.buy(.packOfFive)
      try await shop.synchronize("phone", "laptop")
      let purchases = try await phone.history.purchases()
      let pack = try #require(purchases.first { $0.creditsGranted == 5 })
      let credits = try await phone.history.credits(of: pack.key)
      #expect(credits.map(\.isConsumed) == [true, false, false, false, false])
      #expect(credits[0].consumption?.requestID == Fixtures.id(2))
      try await shop.appStore.refund(pack.key.transactionID)
      _ = try await laptop.purchases.launch(listens: false)
      let refunded = try await laptop.history.credits(of: pack.key)
      // The refund takes what nobody paid with by name; the second report is an overdraft again.
      #expect(refunded.allSatisfy { $0.isRevoked && !$0.isConsumed && !$0.isAvailable })
      #expect(try await laptop.balance().overdrawn == 1)
    }
  }

  @Test func `a report and a consumption of a chart without a profile have no profile`() async throws {
    try await Shop.open { shop in
      let phone = try await shop.device("phone")
      _ = try await phone.purchases.buy(.single)
      let chart = try await phone.charts.add(Fixtures.birth(), chart: Fixtures.chart())
      let order = try ReportOrder(chartID: chart.id, area: .career, language: .english)
      let report = try await phone.reports().generate(order, requestID: Fixtures.id(1))
      #expect(report.profileID == nil)
      #expect(try await phone.history.consumptions().map(\.profileID) == [nil])
    }
  }

  @Test func `a request that two devices paid with different credits costs one, and the other is free on both`()
    async throws
  {
    try await Shop.open { shop in
      let (phone, laptop) = (try await shop.device("phone"), try await shop.device("laptop"))
      _ = try await phone.purchases.buy(.packOfFive)
      _ = try await phone.chart()
      try await shop.synchronize("phone", "laptop")
      _ = try await laptop.credits.reserve(for: Fixtures.id(9))
      try await phone.report(1)
      try await laptop.report(1)
      try await laptop.credits.release(Fixtures.id(9))
      for _ in 0..<2 { try await shop.synchronize("phone", "laptop") }
      for device in [phone, laptop] { #expect(try await device.credits.availableCount() == 4) }
      for number in 2...5 { try await phone.report(number) }
      #expect(try await phone.balance().available == 0)
    }
  }
}
