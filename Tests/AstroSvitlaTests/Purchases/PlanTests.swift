import AppStorePurchases
import AppStoreTesting
import AstroSvitla
import Foundation
import Synchronization
import Testing

/// The monthly plan: while it runs a report costs no credit, and it never brings one.
@Suite struct PlanTests {
  /// The clock of a device and of its App Store.
  private final class Clock: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { date.withLock { $0 } }

    func advance(days: Int, _ shop: Shop) async throws {
      date.withLock { $0 += Double(days) * 86_400 }
      try await shop.appStore.stopClock(at: now)
      try await shop.appStore.advanceClock(by: .zero)
    }
  }

  private func open(_ body: (Shop, Device, Clock) async throws -> Void) async throws {
    try await Shop.open { shop in
      let clock = Clock()
      try await clock.advance(days: 0, shop)
      try await body(shop, try await shop.device("phone", now: { clock.now }), clock)
    }
  }

  private func state(_ device: Device) async throws -> PlanStanding.State {
    try await device.purchases.launch(listens: false).plan.state
  }

  @Test func `while the plan runs reports cost no credit, and afterwards they do again`() async throws {
    try await open { shop, phone, clock in
      guard case .completed(.subscribed(let key, let end), true) = try await phone.purchases.subscribe() else {
        Issue.record("nothing was subscribed")
        return
      }
      #expect(end > clock.now)
      let report = try await phone.report(1)
      #expect(report.isPaidByPlan && report.price == nil)
      #expect(try await phone.reports().payment(of: Fixtures.id(1))?.transaction == key)
      #expect(try await phone.balance() == CreditBalance(CreditLedger(credits: [], consumptions: [])))
      try await shop.appStore.setAutoRenew(false, for: Shop.account, groupID: PlanProduct.groupID)
      // The plan ends by itself, also where nobody asks the App Store.
      try await clock.advance(days: 32, shop)
      #expect(try await phone.purchases.planStanding().state == .expired)
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.report(2) }
      #expect(error?.code == .notEnoughCredits)
      #expect(try await phone.report(1) == report, "the report stays")
    }
  }

  /// The App Store dates the purchase, and until the device's clock had come there nothing was paid.
  @Test func `on a device whose clock is slow the plan runs as soon as it is bought`() async throws {
    try await open { shop, _, clock in
      let tablet = try await shop.device("tablet", now: { clock.now - 3600 })
      _ = try await tablet.purchases.subscribe()
      #expect(try await tablet.purchases.planStanding().state == .active)
      #expect(try await tablet.report(1).isPaidByPlan)
    }
  }

  @Test func `under a plan no credit is spent, and one request is one report`() async throws {
    try await open { _, phone, _ in
      _ = try await phone.purchases.buy(.packOfFive)
      _ = try await phone.purchases.subscribe()
      let first = try await phone.report(1)
      #expect(try await phone.report(1) == first)
      #expect(try await phone.balance().available == 5)
      #expect(try await phone.history.consumptions().isEmpty)
    }
  }

  @Test func `each renewal is delivered once, and brings no credit`() async throws {
    try await open { shop, phone, clock in
      _ = try await phone.purchases.subscribe()
      try await clock.advance(days: 70, shop)
      let report = try await phone.purchases.launch(listens: false)
      #expect(report.plan.state == .active && report.plan.willRenew && report.creditsDelivered == 0)
      #expect(try await phone.history.purchases().map(\.key.transactionID) == [2, 1, 0])
      #expect(try await phone.purchases.launch(listens: false).outcomes.isEmpty)
      #expect(try await phone.balance().purchased == 0)
    }
  }

  @Test func `a renewal that cannot be paid leaves the plan running for its grace period`() async throws {
    try await open { shop, phone, clock in
      try await shop.appStore.setBillingGracePeriod(days: 16)
      _ = try await phone.purchases.subscribe()
      try await shop.appStore.setFailsRenewals(true, for: Shop.account)
      try await clock.advance(days: 35, shop)
      #expect(try await state(phone) == .inGracePeriod)
      #expect(try await phone.report(1).isPaidByPlan)
      try await clock.advance(days: 20, shop)
      #expect(try await phone.purchases.planStanding().state == .expired)
      // Paid after all.
      try await shop.appStore.setFailsRenewals(false, for: Shop.account)
      #expect(try await state(phone) == .active)
    }
  }

  @Test func `a refund ends the plan, and its reports stay`() async throws {
    try await open { shop, phone, _ in
      _ = try await phone.purchases.subscribe()
      let report = try await phone.report(1)
      try await shop.appStore.refund(0)
      #expect(try await state(phone) == .revoked)
      #expect(try await phone.report(1) == report)
      let error = await #expect(throws: AstroSvitlaError.self) { try await phone.report(2) }
      #expect(error?.code == .notEnoughCredits)
    }
  }

  @Test func `another device of the account has the plan without a synchronisation, and one record after it`()
    async throws
  {
    try await open { shop, phone, clock in
      _ = try await phone.purchases.subscribe()
      let laptop = try await shop.device("laptop", now: { clock.now })
      #expect(try await state(laptop) == .active)
      #expect(try await laptop.report(1).isPaidByPlan)
      try await shop.synchronize("phone", "laptop")
      let met = try await shop.device("phone", now: { clock.now })
      #expect(try await met.history.purchases().count == 1)
      #expect(try await met.balance().purchased == 0)
    }
  }

  @Test func `what the records say of a moment is one state`() {
    func period(_ number: UInt64, _ days: ClosedRange<Double>, isRevoked: Bool = false) -> PlanStanding.Period {
      let key = TransactionKey(environment: "Xcode", bundleID: CreditProduct.bundleID, transactionID: number)
      let (start, end) = (Fixtures.base + days.lowerBound * 86_400, Fixtures.base + days.upperBound * 86_400)
      return PlanStanding.Period(key: key, start: start, end: end, isRevoked: isRevoked)
    }
    func state(_ periods: [PlanStanding.Period], grace: Double? = nil, at day: Double) -> PlanStanding.State {
      PlanStanding(
        periods: periods, willRenew: true, graceEndsAt: grace.map { Fixtures.base + $0 * 86_400 },
        at: Fixtures.base + day * 86_400
      ).state
    }
    let months = [period(1, 30...60), period(0, 0...30)]
    #expect(state([], at: 1) == .none && state([], grace: 9, at: 1) == .none)
    #expect([0, 29.9, 30, 59.9].map { state(months, at: $0) } == Array(repeating: .active, count: 4))
    #expect(state(months, at: -0.9) == .active)
    #expect(state(months, at: -1) == .notBegun && state(months, at: 60) == .expired)
    #expect(state(months, grace: 70, at: 65) == .inGracePeriod && state(months, grace: 70, at: 70) == .expired)
    let refunded = [period(0, 0...30), period(1, 30...60, isRevoked: true)]
    #expect(state(refunded, at: 10) == .active && state(refunded, at: 40) == .revoked)
    #expect(state(refunded, grace: 70, at: 65) == .revoked)
  }

  @Test func `the program buys, shows and loses a plan`() throws {
    try withDevices("phone") { folder in
      func run(_ words: String...) throws -> ProgramRun { try ProgramRun(["astrosvitla"] + words, in: folder) }
      #expect(try run("plan", "--device", "phone").output == "no plan\n")
      let bought = try run("buy", "monthly", "--device", "phone")
      #expect(bought.code == 0 && bought.output.hasPrefix("subscribed: until "), "\(bought)")
      #expect(try run("plan", "--device", "phone").output.hasSuffix(" · it is renewed then\n"))
      #expect(try run("plan", "--device", "phone", "--language", "uk").output.hasPrefix("план діє до "))
      #expect(try run("appstore", "plan", "--renew", "off").code == 0)
      #expect(try run("open", "--device", "phone").code == 0)
      #expect(try run("plan", "--device", "phone").output.hasSuffix(" · it is not renewed\n"))
      #expect(try run("credits", "--device", "phone").output == "available 0 · consumed 0 · purchased 0\n")
      #expect(try run("refund", "0").code == 0 && run("open", "--device", "phone").code == 0)
      #expect(try run("plan", "--device", "phone", "--json").output.contains(#""state" : "revoked""#))
      #expect(try run("buy", "monthly", "--quantity", "2", "--device", "phone").code == 2)
      #expect(try run("appstore", "plan").code == 2)
    }
  }
}
