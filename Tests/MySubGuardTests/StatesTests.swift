import Foundation
import Testing

@testable import MySubGuard

/// The commands for what happens to a subscription: prices, payments, pauses, cancelling.
@Suite struct StatesTests {
  private func withFibre(_ body: (TestDevice) throws -> Void) throws {
    try withDevice { device in
      let add = try device.run(
        "add", "Fibre", "--amount", "39.99", "--frequency", "mensuel", "--next", "2026-01-31", "--today", "2026-01-15")
      #expect(add.code == 0, "\(add.trouble)")
      try body(device)
    }
  }

  @Test func `a price that rises is told with the difference, and kept in the history`() throws {
    try withFibre { device in
      let run = try device.run("price", "fibre", "41.99", "--today", "2026-03-01")
      #expect(run.output.hasSuffix("  €2.00 more since Mar 1, 2026 (€39.99 before)\n"), "\(run.output)\(run.trouble)")
      let show = try device.run("show", "fibre", "--today", "2026-03-02").output
      #expect(show.contains("price      €2.00 more since Mar 1, 2026 (€39.99 before)\n"), "\(show)")
      #expect(run.output.contains("· next Mar 31, 2026 ·"), "a day that has passed is not the next")
      let announced = try device.run("price", "fibre", "40", "--since", "2026-06-01", "--today", "2026-03-02")
      #expect(announced.output.hasPrefix("changed: Fibre · €41.99 · "), "\(announced.output)")
      #expect(announced.output.hasSuffix("  €1.99 less from Jun 1, 2026 on (€41.99 before)\n"), "\(announced.output)")
      let same = try device.run("price", "fibre", "41.99", "--today", "2026-04-01")
      #expect(same.output.hasPrefix("unchanged: "))
      let json = try device.run("price", "fibre", "50", "--currency", "usd", "--today", "2026-04-01", "--json").output
      #expect(json.contains(#""currency" : "USD""#) && json.contains(#""amount" : "50.00""#), "\(json)")
      #expect(try device.run("price", "fibre", "x").code == 2)
    }
  }

  @Test func `what is paid is no more among the charges to come`() throws {
    try withFibre { device in
      let pay = try device.run("pay", "fibre", "--today", "2026-01-30")
      #expect(pay.output == "paid: Fibre · €39.99 · charge of Jan 31, 2026\n")
      let list = try device.run("list", "--today", "2026-01-30").output
      #expect(list.contains("Feb 28, 2026"), "\(list)")
      let upcoming = try device.run("upcoming", "--days", "30", "--today", "2026-01-30").output
      #expect(upcoming.hasSuffix("1 charge from Jan 30, 2026 to Feb 28, 2026: €39.99\n"), "\(upcoming)")
      let again = try device.run("pay", "fibre", "--charge", "2026-01-31", "--today", "2026-01-30")
      #expect(again.code == 1 && again.trouble.contains("is paid already"), "\(again.trouble)")
      let wrong = try device.run("pay", "fibre", "--charge", "2026-02-01", "--today", "2026-01-30")
      #expect(wrong.code == 1 && wrong.trouble.contains("is not charged on 2026-02-01"))
      let json = try device.run("pay", "fibre", "--today", "2026-03-05", "--json").output
      #expect(json.contains(#""date" : "2026-02-28""#), "\(json)")
      let show = try device.run("show", "fibre", "--json").output
      #expect(show.contains("payments"))
    }
  }

  @Test func `a pause, a trial and a cancellation leave the totals and the charges, and resume brings them back`()
    throws
  {
    try withFibre { device in
      let today = ["--today", "2026-01-15"]
      let pause = try device.run(["pause", "fibre", "--until", "2026-03-01"] + today).output
      #expect(pause.hasSuffix("· paused until Mar 1, 2026\n"), "\(pause)")
      #expect(
        try device.run(["totals"] + today).output.hasSuffix(
          "1 more costs nothing today: on trial, paused or ended\n"))
      #expect(try device.run(["upcoming"] + today).output.contains("0 charges"))
      #expect(try device.run(["list"] + today).output.contains("Mar 31, 2026"))
      #expect(try device.run(["resume", "fibre"] + today).output.hasPrefix("resumed: "))
      #expect(try device.run(["upcoming"] + today).output.contains("1 charge"))
      let cancel = try device.run(["cancel", "fibre"] + today).output
      #expect(cancel.hasSuffix("· ends on Jan 31, 2026\n"), "\(cancel)")
      #expect(try device.run(["totals"] + today).output.contains("€479.88"))
      #expect(try device.run("pay", "fibre", "--today", "2026-02-15").trouble.contains("has no charge to pay"))
      #expect(try device.run(["edit", "fibre", "--trial", "2026-06-01"] + today).code == 0)
      #expect(try device.run(["edit", "fibre", "--trial", "none"] + today).code == 0)
      let refused = try device.run(["pause", "fibre", "--from", "2026-03-01", "--until", "2026-02-01"] + today)
      #expect(refused.code == 2 && refused.trouble.contains("ends before it begins"))
    }
  }

  @Test func `currencies have totals of their own, in text and in JSON`() throws {
    try withFibre { device in
      _ = try device.run(
        "add", "Cloud", "--amount", "12", "--currency", "usd", "--frequency", "half-yearly", "--next", "2026-02-01",
        "--category", "pro")
      let totals = try device.run("totals", "--today", "2026-01-15")
      #expect(totals.output.contains("$24.00") && totals.output.contains("€479.88"), "\(totals.output)")
      let json = try device.run("totals", "--json", "--today", "2026-01-15").output
      #expect(json.ranges(of: #""category" : "total""#).count == 2)
      let upcoming = try device.run("upcoming", "--today", "2026-01-15").output
      #expect(upcoming.hasSuffix(": €39.99 + $12.00\n"), "\(upcoming)")
    }
  }

  @Test func `lists carry currency, trial, pause and end; a list that does not say them leaves them`() throws {
    try withFibre { device in
      _ = try device.run("edit", "fibre", "--currency", "chf", "--trial", "2026-02-01", "--today", "2026-01-15")
      _ = try device.run("pause", "fibre", "--from", "2026-05-01", "--until", "2026-06-01", "--today", "2026-01-15")
      _ = try device.run("cancel", "fibre", "--end", "2027-01-01", "--today", "2026-01-15")
      let stored = try SubscriptionBook(device: device.url).subscriptions()
      for format in ["csv", "json"] {
        let text = try device.run("export", "--format", format).output
        let file = device.url.appending(path: "list.\(format)")
        try text.write(to: file, atomically: true, encoding: .utf8)
        let read = try SubscriptionList(contentsOf: file, importedAt: .now)
        #expect(read.subscriptions == stored)
      }
      let old = device.url.appending(path: "old.csv")
      let id = try #require(stored.first?.id)
      try "id,name,amount,frequency,next_billing_date,category\n\(id),Fibre,40,mensuel,2026-01-31,Personnel\n".write(
        to: old, atomically: true, encoding: .utf8)
      #expect(try device.run("import", old.path).output == "old.csv: 0 added, 1 updated, 0 unchanged\n")
      let after = try #require(try SubscriptionBook(device: device.url).subscriptions().first)
      #expect(after.standing == stored.first?.standing && after.currency.rawValue == "CHF" && after.amount == 40)
    }
  }

  @Test func `a calendar leaves out a pause and ends with the subscription`() throws {
    let details = try SubscriptionDetails(
      id: UUID(), name: "x", amount: 1,
      schedule: BillingSchedule(frequency: .monthly, nextDay: CalendarDay(iso: "2026-01-15")), category: .personal,
      createdAt: .distantPast,
      standing: Standing(
        pause: .init(from: CalendarDay(iso: "2026-02-01"), until: CalendarDay(iso: "2026-04-01")),
        endDay: CalendarDay(iso: "2026-12-15")))
    let text = ChargeCalendar(subscriptions: [details]).text
    #expect(text.contains("RRULE:FREQ=MONTHLY;INTERVAL=1;UNTIL=20261214"))
    #expect(text.contains("EXDATE;VALUE=DATE:20260215") && text.contains("EXDATE;VALUE=DATE:20260315"))
    #expect(text.ranges(of: "EXDATE").count == 2)
  }
}
