import Foundation
import Testing

@testable import MySubGuard

/// What a person does with a list every day: look at one, search, sort, take it elsewhere.
@Suite struct DailyUseTests {
  private let phone = Fixtures.devices.appending(path: "phone.csv").path

  private func details(
    _ name: String, _ amount: String, _ day: String, _ frequency: BillingFrequency = .monthly, billingDay: Int? = nil
  ) throws -> SubscriptionDetails {
    try SubscriptionDetails(
      id: UUID(), name: name, amount: Amount.parse(amount),
      schedule: BillingSchedule(frequency: frequency, nextDay: CalendarDay(iso: day), billingDay: billingDay),
      category: .personal, createdAt: Date(timeIntervalSince1970: 1_700_000_000))
  }

  private func names(_ list: ProgramRun) -> [String] {
    list.output.split(separator: "\n").dropFirst().dropLast().map { line in
      String(line.dropFirst(10).prefix { $0 != "€" }).trimmingCharacters(in: .whitespaces)
    }
  }

  private func withThree(_ body: (TestDevice) throws -> Void) throws {
    try withDevice { device in
      let book = try SubscriptionBook(device: device.url)
      try book.add(details("Écran", "10", "2026-03-01", .weekly))
      try book.add(details("abo", "300", "2026-02-01", .yearly))
      try book.add(details("Zoo", "20", "2026-01-01", .quarterly))
      try body(device)
    }
  }

  @Test func `one subscription is shown by name with month, year and next charges`() throws {
    try withThree { device in
      let show = try device.run("show", "écran", "--today", "2026-03-02")
      #expect(show.code == 0)
      #expect(show.output.contains("per month  €43.33\nper year   €520.00\n"), "\(show.output)")
      #expect(show.output.contains("next       Mar 8, 2026 · Mar 15, 2026 · Mar 22, 2026\n"), "\(show.output)")
      let json = try device.run("show", "zoo", "--json")
      #expect(json.output.contains(#""annual_amount" : "80.00""#), "\(json.output)")
      #expect(try device.run("show", "nothing").code == 1)
    }
  }

  @Test func `the list is searched without case and accents, and sorted as asked`() throws {
    try withThree { device in
      #expect(try names(device.run("list", "--search", "ECR")) == ["Écran"])
      #expect(try names(device.run("list", "--search", "o")) == ["Zoo", "abo"])
      #expect(try names(device.run("list", "--search", "o", "--category", "Pro")) == [])
      #expect(try names(device.run("list", "--sort", "name")) == ["abo", "Écran", "Zoo"])
      #expect(try names(device.run("list", "--sort", "amount")) == ["abo", "Zoo", "Écran"])
      #expect(try names(device.run("list", "--sort", "year")) == ["Écran", "abo", "Zoo"])
      let list = try device.run("list", "--sort", "year", "--json")
      let order = list.output.ranges(of: "\"name\"").map { list.output[$0.upperBound...].prefix(8).contains("É") }
      #expect(order == [true, false, false])
    }
  }

  @Test(arguments: ["csv", "json"]) func `an export is imported elsewhere without a difference`(format: String) throws {
    try withDevice { device in
      #expect(try device.run("import", phone).code == 0)
      let book = try SubscriptionBook(device: device.url)
      try book.add(details("a, \"b\"; c", "1.5", "2026-02-28", billingDay: 31))
      let export = try device.run("export", "--format", format)
      #expect(export.code == 0)
      try withDevice { other in
        let file = other.url.appending(path: "list.\(format)")
        try export.output.write(to: file, atomically: false, encoding: .utf8)
        #expect(try other.run("import", file.path).code == 0)
        #expect(
          try SubscriptionBook(device: other.url, access: .readOnly).subscriptions() == book.subscriptions())
        #expect(try other.run("export", "--format", format).output == export.output)
      }
    }
  }

  @Test func `a calendar has an event for each charge, or one that repeats`() throws {
    let end = try details("Miete; \\ x, y", "950", "2026-02-28", billingDay: 31)
    let week = try details(String(repeating: "日本", count: 30), "3", "2026-01-05", .weekly)
    let lines = ChargeCalendar(subscriptions: [end, week]).text.split(separator: "\r\n").map(String.init)
    #expect(lines.first == "BEGIN:VCALENDAR" && lines.last == "END:VCALENDAR\r")
    #expect(lines.allSatisfy { $0.utf8.count <= 76 }, "75 bytes a line, and the CR of the last")
    #expect(lines.contains("DTSTART;VALUE=DATE:20260228") && lines.contains("DTSTAMP:20231114T221320Z"))
    #expect(lines.contains("RRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"))
    #expect(lines.contains("RRULE:FREQ=DAILY;INTERVAL=7"))
    #expect(lines.contains("SUMMARY:Miete\\; \\\\ x\\, y · €950.00"))
    let unfolded = lines.joined(separator: "\n").replacing("\n ", with: "")
    #expect(unfolded.contains("SUMMARY:\(week.name) · €3.00\n"))

    let (start, last) = (try CalendarDay(iso: "2026-01-01"), try CalendarDay(iso: "2026-04-30"))
    let charges = ChargeCalendar(charges: UpcomingCharge.all(of: [end], from: start, through: last)).text
    let days = charges.matches(of: /DTSTART;VALUE=DATE:(\d+)/).map { String($0.1) }
    #expect(days == ["20260228", "20260331", "20260430"])
    let names = charges.matches(of: /UID:(\S+)/).map { String($0.1) }
    #expect(Set(names).count == 3 && !charges.contains("RRULE"))
  }

  @Test func `coming charges are printed as a calendar`() throws {
    try withThree { device in
      let run = try device.run("upcoming", "--ics", "--days", "31", "--today", "2026-03-01")
      #expect(run.code == 0 && run.output.hasSuffix("END:VCALENDAR\r\n"))
      #expect(run.output.ranges(of: "BEGIN:VEVENT").count == 5)
      #expect(try device.run("upcoming", "--ics", "--json").code == 2)
      #expect(try device.run("export", "--format", "ics").output.ranges(of: "RRULE:").count == 3)
    }
  }
}
