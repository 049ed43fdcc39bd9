import Foundation
import Testing

@testable import MySubGuard

@Suite struct StandingTests {
  private func day(_ text: String) throws -> CalendarDay { try CalendarDay(iso: text) }

  private func details(
    _ standing: Standing, amount: Decimal = 10, currency: Currency = .euro, _ frequency: BillingFrequency = .monthly
  ) throws -> SubscriptionDetails {
    try SubscriptionDetails(
      id: UUID(), name: "x", amount: amount,
      schedule: BillingSchedule(frequency: frequency, nextDay: day("2026-01-31")), category: .personal,
      createdAt: .distantPast, currency: currency, standing: standing)
  }

  private func charges(_ standing: Standing) throws -> [String] {
    try details(standing).charges(from: day("2026-01-01"), through: day("2026-07-31")).map(\.description)
  }

  @Test func `a trial, a pause and an end leave their charges out, and the rhythm goes on`() throws {
    let all = ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30", "2026-07-31"]
    #expect(try charges(Standing()) == all)
    #expect(try charges(Standing(trialEnd: day("2026-03-31"))) == Array(all[2...]))
    #expect(
      try charges(Standing(pause: .init(from: day("2026-02-28"), until: day("2026-05-31")))) == [all[0]] + all[4...])
    #expect(try charges(Standing(pause: .init(from: day("2026-03-01")))) == Array(all[..<2]))
    #expect(try charges(Standing(endDay: day("2026-04-30"))) == Array(all[..<3]))
  }

  @Test func `the first charge to come is the first of all charges, for every standing`() throws {
    let days = [nil, try day("2026-02-28"), try day("2026-04-15"), try day("2026-06-30")]
    for trial in days {
      for start in days {
        for end in days {
          let pause = try start.map { start in try Standing.Pause(from: start, until: start.adding(days: 70)) }
          let subscription = try details(Standing(trialEnd: trial, pause: pause, endDay: end))
          for offset in stride(from: 0, to: 240, by: 7) {
            let today = try day("2026-01-01").adding(days: offset)
            let all = subscription.charges(from: today, through: today.adding(days: 400))
            #expect(subscription.firstCharge(onOrAfter: today) == all.first)
          }
        }
      }
    }
  }

  @Test func `a pause that ends before it begins is refused`() throws {
    let refusal = #expect(throws: SubscriptionError.self) {
      try Standing.Pause(from: day("2026-03-01"), until: day("2026-03-01"))
    }
    #expect(refusal?.code == .invalidValue)
  }

  @Test func `next charges come without subscriptions that have ended, and end with the calendar`() throws {
    let ended = try details(Standing(endDay: day("2026-02-01")))
    let paused = try details(Standing(pause: .init(from: day("2026-01-01"))))
    #expect(UpcomingCharge.next(5, of: [paused], from: try day("2026-01-01")).isEmpty)
    #expect(
      UpcomingCharge.next(5, of: [ended, paused], from: try day("2026-01-01")).map(\.day) == [try day("2026-01-31")])
  }

  @Test func `the state of a day says what is in force`() throws {
    let standing = Standing(
      trialEnd: try day("2026-02-01"), pause: try .init(from: day("2026-03-01"), until: day("2026-04-01")),
      endDay: try day("2026-06-01"))
    #expect(standing.state(on: try day("2026-01-15")) == .trial(try day("2026-02-01")))
    #expect(standing.state(on: try day("2026-02-15")) == .ending(try day("2026-06-01")))
    #expect(standing.state(on: try day("2026-03-15")) == .paused(try day("2026-04-01")))
    #expect(standing.state(on: try day("2026-06-01")) == .ended(try day("2026-06-01")))
    #expect(Standing().state(on: try day("2026-06-01")) == .active)
  }

  @Test func `totals keep currencies apart, and count what is charged on the day`() throws {
    let dollar = try Currency(code: "usd")
    let all = [
      try details(Standing()), try details(Standing(), amount: 20, .yearly),
      try details(Standing(), amount: 5, currency: dollar, .fourWeekly),
      try details(Standing(trialEnd: day("2026-03-01"))), try details(Standing(pause: .init(from: day("2026-01-01")))),
      try details(Standing(endDay: day("2026-01-10"))),
    ]
    let totals = SubscriptionTotals(of: all, on: try day("2026-02-01"))
    #expect(totals.currencies == [.euro, dollar])
    #expect(totals[.euro].annual == 140 && totals[dollar].annual == 65)
    #expect(totals.count == 3 && totals.restingCount == 3)
    #expect(SubscriptionTotals(of: all, on: try day("2026-03-01"))[.euro].annual == 260)
  }

  @Test func `an amount has as many decimals as its currency`() throws {
    let (yen, dinar) = (try Currency(code: "JPY"), try Currency(code: "KWD"))
    #expect(try Amount.parse("1500", in: yen) == 1500)
    #expect(#expect(throws: SubscriptionError.self) { try Amount.parse("1500.5", in: yen) }?.code == .invalidValue)
    #expect(Amount.text(Money(try Amount.parse("1.250", in: dinar), dinar)) == "1.250")
    #expect(Amount.text(Money(1500, yen)) == "1500")
    #expect(#expect(throws: SubscriptionError.self) { try Currency(code: "XXY") }?.code == .invalidValue)
    #expect(#expect(throws: SubscriptionError.self) { try Currency(code: "€") }?.code == .invalidValue)
  }
}
