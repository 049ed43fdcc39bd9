import Foundation
import Testing

@testable import MySubGuard

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct YearTests {
  private func outlook() throws -> YearOutlook {
    let list = try SubscriptionList(contentsOf: Fixtures.devices.appending(path: "phone.csv"), importedAt: .distantPast)
    return YearOutlook(of: list.subscriptions, from: try CalendarDay(iso: "2026-03-15"))
  }

  @Test func `the months of a year add up to the charges of the year`() throws {
    let list = try SubscriptionList(contentsOf: Fixtures.devices.appending(path: "phone.csv"), importedAt: .distantPast)
    let outlook = try outlook()
    #expect(outlook.months.map(\.first.month) == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2])
    let charges = UpcomingCharge.all(
      of: list.subscriptions, from: try CalendarDay(iso: "2026-03-01"), through: try CalendarDay(iso: "2027-02-28"))
    #expect(outlook.sum(.euro).amount == charges.reduce(0) { $0 + $1.price.amount })
    #expect(outlook.months.reduce(0) { $0 + $1.count } == charges.count)
  }

  @Test(arguments: Language.allCases) func `the chart is valid XML in its language`(language: Language) throws {
    for outlook in [try outlook(), YearOutlook(of: [], from: try CalendarDay(iso: "2026-03-15"))] {
      let svg = YearChart(outlook, locale: AppLocale(language)).svg
      let parser = XMLParser(data: Data(svg.utf8))
      #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
      #expect(svg.contains(language == .french ? "mars 2026 – février 2027" : "March 2026 – February 2027"))
    }
  }

  @Test func `the year is printed by month, as a table and as JSON, and drawn into a file`() throws {
    try withDevice { device in
      _ = try device.run("import", Fixtures.devices.appending(path: "phone.csv").path)
      let picture = device.url.appending(path: "year.svg")
      let run = try device.run("year", "--svg", picture.path, "--today", "2026-03-15")
      #expect(run.code == 0, "\(run.trouble)")
      #expect(run.output.split(separator: "\n").count == 14)
      #expect(try String(contentsOf: picture, encoding: .utf8).hasSuffix("</svg>\n"))
      let json = try device.run("year", "--json", "--today", "2026-03-15").output
      #expect(json.ranges(of: "\"month\"").count == 12)
      let lost = try device.run("year", "--svg", "/nowhere/year.svg")
      #expect(lost.code == 2 && lost.trouble.contains("cannot write the picture"))
      let folder = try device.run("year", "--svg", device.url.path)
      #expect(folder.code == 2 && folder.trouble.hasSuffix("(Is a directory)\n"), "\(folder.trouble)")
      let empty = try device.run("year", "--svg", "")
      #expect(empty.code == 2 && empty.trouble.contains("a path has at least one character"), "\(empty.trouble)")
    }
  }

  /// A file took the place of the link.
  @Test func `a picture goes to the file that a link leads to`() throws {
    try withDevice { device in
      _ = try device.run("import", Fixtures.devices.appending(path: "phone.csv").path)
      let (picture, link) = (device.url.appending(path: "year.svg"), device.url.appending(path: "link.svg"))
      try Data("old".utf8).write(to: picture)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: picture)
      #expect(try device.run("year", "--svg", link.path).code == 0)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == picture.path)
      #expect(try String(contentsOf: picture, encoding: .utf8).hasSuffix("</svg>\n"))
    }
  }

  /// The folder that one is in took its place, and a subscription could be added there.
  @Test(arguments: ["list --device", "add Water --amount 5 --frequency monthly --next 2030-01-01 --device", "import"])
  func `an empty path is named as such`(command: String) throws {
    try withDevice { device in
      let words = command.split(separator: " ").map(String.init)
      let run = try ProgramRun("mysubguard", words + [""], in: device.url)
      #expect(run.code == 2 && run.trouble.contains("a path has at least one character"), "\(run)")
      #expect(try device.stores() == [])
    }
  }

  @Test func `the widget's picture speaks both languages, and shows a second currency`() throws {
    let today = try CalendarDay(iso: "2026-01-29")
    let all = try [("Fibre", "EUR"), ("Bois", "EUR"), ("Cloud", "USD")].map { name, currency in
      try SubscriptionDetails(
        id: UUID(), name: name, amount: 12,
        schedule: BillingSchedule(frequency: .monthly, nextDay: today.adding(days: 1)), category: .professional,
        createdAt: .distantPast, currency: Currency(code: currency))
    }
    for (language, words) in [(Language.english, ["tomorrow", "$12.00"]), (.french, ["demain", "12,00\u{A0}$US"])] {
      let content = WidgetContent(of: all, today: today, locale: AppLocale(language))
      for size in WidgetPicture.Size.allCases {
        let svg = WidgetPicture(content, size: size).svg
        #expect(words.allSatisfy { svg.contains($0) }, "\(svg)")
      }
    }
  }
}
