import Foundation
import Testing

@testable import MySubGuard

@Suite struct PriceHistoryTests {
  private func money(_ text: String, _ currency: Currency = .euro) throws -> Money {
    Money(try Amount.parse(text, in: currency), currency)
  }

  private func step(_ day: String, _ price: String, before: String, noted: Double = 0) throws -> PriceStep {
    PriceStep(
      since: try CalendarDay(iso: day), price: try money(price), before: try money(before),
      notedAt: Date(timeIntervalSince1970: noted))
  }

  @Test func `a day has the price of the last step before it, whichever price a merge has stored`() throws {
    let history = PriceHistory([
      try step("2026-04-01", "42.99", before: "39.99", noted: 1),
      try step("2026-03-01", "41.99", before: "39.99", noted: 2),
    ])
    for stored in ["39.99", "41.99", "42.99"] {
      let stored = try money(stored)
      #expect(history.price(on: try CalendarDay(iso: "2026-02-28"), stored: stored) == (try money("39.99")))
      #expect(history.price(on: try CalendarDay(iso: "2026-03-01"), stored: stored) == (try money("41.99")))
      #expect(history.price(on: try CalendarDay(iso: "2026-12-01"), stored: stored) == (try money("42.99")))
    }
    #expect(history.price(on: try CalendarDay(iso: "2026-12-01"), stored: try money("50")) == (try money("50")))
  }

  @Test func `of two steps on one day, the one that was noted later counts`() throws {
    let history = PriceHistory([
      try step("2026-03-01", "12", before: "10", noted: 20), try step("2026-03-01", "11", before: "10", noted: 10),
    ])
    #expect(history.price(on: try CalendarDay(iso: "2026-03-01"), stored: try money("11")) == (try money("12")))
  }

  @Test func `a noted price is in force from its day on, and the day of each charge decides`() throws {
    try withDevice { device in
      let book = try SubscriptionBook(device: device.url, today: CalendarDay(iso: "2026-01-15"))
      let details = try SubscriptionDetails(
        id: UUID(), name: "Fibre", amount: money("39.99").amount,
        schedule: BillingSchedule(frequency: .monthly, nextDay: CalendarDay(iso: "2026-01-31")), category: .personal,
        createdAt: .distantPast)
      try book.add(details)
      try book.note(step("2026-03-01", "41.99", before: "39.99"), of: details.id)
      let read = try book.subscription(named: "Fibre")
      #expect(read.amount == details.amount)
      let charges = UpcomingCharge.next(3, of: [read], from: book.today)
      let prices = try ["39.99", "39.99", "41.99"].map { try money($0) }
      #expect(charges.map(\.price) == prices)
      let later = try SubscriptionBook(device: device.url, today: CalendarDay(iso: "2026-03-01"))
      #expect(try later.subscription(named: "Fibre").storedPrice == money("41.99"))
      #expect(try later.subscriptions().first?.storedPrice == money("41.99"))
    }
  }

  @Test func `an edit corrects the step in force, and a later step still comes`() throws {
    try withDevice { device in
      _ = try device.run("add", "x", "--amount", "10", "--frequency", "mensuel", "--next", "2026-01-31")
      _ = try device.run("price", "x", "12", "--since", "2026-03-01", "--today", "2026-01-01")
      _ = try device.run("edit", "x", "--amount", "10.50", "--today", "2026-01-01")
      let book = try SubscriptionBook(device: device.url, today: CalendarDay(iso: "2026-01-01"))
      let read = try book.subscription(named: "x")
      #expect(read.storedPrice == (try money("10.50")))
      #expect(read.price(on: try CalendarDay(iso: "2026-03-01")) == (try money("12")))
    }
  }

  /// The stored price is one value, and the merge takes the one that was written last: here March's.
  @Test func `prices that two devices change apart are both kept, and the later day's price is in force`() throws {
    try withDevice { phone in
      try withDevice { laptop in
        _ = try phone.run("add", "Fibre", "--amount", "39.99", "--frequency", "mensuel", "--next", "2026-01-31")
        #expect(try sync(phone, laptop) == 0)
        _ = try phone.run("price", "Fibre", "42.99", "--since", "2026-04-01", "--today", "2026-04-02")
        _ = try laptop.run("price", "Fibre", "41.99", "--since", "2026-03-01", "--today", "2026-04-02")
        #expect(try sync(phone, laptop) == 0)
        for device in [phone, laptop] {
          let show = try device.run("show", "Fibre", "--today", "2026-05-01").output
          #expect(show.contains("€42.99 · Monthly"), "\(show)")
          #expect(show.contains("€2.00 more since Mar 1, 2026 (€39.99 before)"), "\(show)")
          #expect(show.contains("€1.00 more since Apr 1, 2026 (€41.99 before)"), "\(show)")
        }
        // One charge that both mark as paid is paid once.
        for device in [phone, laptop] {
          #expect(try device.run("pay", "Fibre", "--today", "2026-05-01").code == 0)
        }
        #expect(try sync(phone, laptop) == 0)
        for device in [phone, laptop] {
          let payments = try SubscriptionBook(device: device.url)
          #expect(try payments.payments(of: payments.subscription(named: "Fibre").id).count == 1)
        }
      }
    }
  }

  private func sync(_ left: TestDevice, _ right: TestDevice) throws -> Int32 {
    try ProgramRun("tandem", "sync", left.url.path, right.url.path, in: left.url).code
  }
}
