import AstroSvitla
import Foundation
import LocalizedTexts
import Testing

/// Moments where the person is: in tables local, with the zone; in JSON in UTC.
@Suite struct LocalTimeTests {
  private func run(_ folder: URL, _ words: String, zone: String, language: String = "C.UTF-8") throws -> ProgramRun {
    try ProgramRun(
      ["astrosvitla"] + words.split(separator: " ").map(String.init), in: folder,
      environment: ["TZ": zone, "LANG": language])
  }

  private func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

  @Test(arguments: [
    ("UTC", "Jan 31, 2026 at 10:30 PM +00:00"), ("Europe/Kyiv", "Feb 1, 2026 at 12:30 AM +02:00"),
    ("America/St_Johns", "Jan 31, 2026 at 7:00 PM -03:30"), ("Asia/Kathmandu", "Feb 1, 2026 at 4:15 AM +05:45"),
  ])
  func `a moment is written as the wall of its place has it, with the zone`(zone name: String, text: String) throws {
    let date = try Date("2026-01-31T22:30:00Z", strategy: .iso8601)
    let written = AppLocale(.english).moment(date, in: try zone(name))
    // The space before AM is one that does not break.
    #expect(written.replacing("\u{202F}", with: " ") == text)
  }

  @Test func `in summer a place is an hour further from UTC`() throws {
    let date = try Date("2026-07-31T10:30:00Z", strategy: .iso8601)
    #expect(AppLocale(.ukrainian).moment(date, in: try zone("Europe/Kyiv")).contains("13:30 +03:00"))
  }

  @Test func `tables are in the zone of the person, and JSON is the same in every zone`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "buy single --device phone", zone: "UTC").code == 0)
      var answers: Set<String> = []
      for (name, offset) in [("Asia/Kathmandu", "+05:45"), ("Pacific/Pago_Pago", "-11:00"), ("UTC", "+00:00")] {
        let list = try run(folder, "history --device phone", zone: name)
        #expect(list.code == 0 && list.output.contains(" \(offset)"), "\(list)")
        let books = try run(folder, "appstore books", zone: name, language: "uk_UA.UTF-8")
        #expect(books.output.contains(" \(offset)"), "\(books)")
        answers.insert(try run(folder, "history --json --device phone", zone: name).output)
      }
      #expect(answers.count == 1)
      #expect(answers.first?.contains(#"Z""#) ?? false)
    }
  }

  @Test func `days from and to are those of the person's calendar`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "buy single --device phone", zone: "UTC").code == 0)
      let json = try run(folder, "history --json --device phone", zone: "UTC").output
      let rows = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
      let text = try #require(rows.first?["date"] as? String)
      let date = try Date(text, strategy: .iso8601)
      // The two are 25 hours apart, so that a moment has never one day in both.
      let names = ["Pacific/Kiritimati", "Pacific/Pago_Pago"]
      let days = try names.map { name in
        date.formatted(Date.ISO8601FormatStyle(timeZone: try zone(name)).year().month().day())
      }
      for (place, name) in names.enumerated() {
        for (other, day) in days.enumerated() {
          let list = try run(folder, "history --from \(day) --to \(day) --json --device phone", zone: name)
          #expect(list.output.contains(text) == (place == other), "\(name), \(day): \(list)")
        }
      }
    }
  }
}
