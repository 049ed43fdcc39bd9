import Foundation
import NatalChartCalculation
import Tandem
import Testing

@testable import AstroSvitla

/// Births whose hour nobody knows: nothing is made up of them.
@Suite struct UnknownTimeTests {
  private func birth(_ day: String = "1991-08-24", at time: BirthTime? = nil) throws -> BirthDetails {
    try BirthDetails(name: "Olena", day: BirthDay(iso: day), time: time, place: Fixtures.birth().place)
  }

  @Test func `a day has no houses, no ascendant and no midheaven, and the places of noon`() throws {
    let (day, noon) = (try NatalChart(of: birth()), try NatalChart(of: birth(at: .noon)))
    #expect(day.houses == nil && day.ascendant == nil && day.midheaven == nil && day.houseSystem == nil)
    #expect(Planet.allCases.allSatisfy { day.house(of: $0) == nil })
    #expect(day.positions.map(\.longitude) == noon.positions.map(\.longitude))
  }

  @Test func `each planet has its way from the beginning of the day to its end`() throws {
    let place = try Fixtures.birth().place
    let range = place.moments(of: try BirthDay(iso: "1991-08-24"))
    let ends = try [range.lowerBound, range.upperBound].map { try NatalChart(at: $0, over: place) }
    for position in try NatalChart(of: birth()).positions {
      let span = try #require(position.daySpan)
      #expect(span.start == ends[0].position(of: position.planet).longitude)
      #expect(span.end == ends[1].position(of: position.planet).longitude)
    }
    let moon = try #require(try NatalChart(of: birth()).position(of: .moon).daySpan)
    #expect((11.5...15.5).contains(moon.degrees))
  }

  @Test func `a day of 25 or 23 hours is as long as clocks made it`() throws {
    let place = try Fixtures.birth().place
    let lengths = try ["2020-10-25", "2020-03-29", "2020-06-01"].map { day in
      let range = place.moments(of: try BirthDay(iso: day))
      return range.upperBound.timeIntervalSince(range.lowerBound) / 3600
    }
    #expect(lengths == [25, 23, 24])
  }

  @Test func `only aspects that hold all day count`() throws {
    let place = try Fixtures.birth().place
    for day in ["1991-08-24", "2000-02-29", "1975-12-01"] {
      let sky = try NatalChart(of: birth(day))
      let range = place.moments(of: try BirthDay(iso: day))
      let hours = try stride(from: 0, through: range.upperBound.timeIntervalSince(range.lowerBound), by: 3600).map {
        try NatalChart(at: range.lowerBound.addingTimeInterval($0), over: place)
      }
      #expect(!sky.aspects.isEmpty)
      for aspect in sky.aspects {
        for hour in hours {
          #expect(
            hour.aspects.contains { ($0.first, $0.second, $0.kind) == (aspect.first, aspect.second, aspect.kind) })
        }
      }
    }
  }

  @Test func `a planet that changes signs on the day is in both, and counts for no element`() throws {
    let days = try (1...28).map { try NatalChart(of: birth("1991-08-" + String(format: "%02d", $0))) }
    let crossing = try #require(days.first { $0.position(of: .moon).signs.count == 2 })
    #expect(crossing.elements.values.reduce(0, +) == 10 - crossing.positions.count { $0.signs.count == 2 })
    let moon = crossing.position(of: .moon)
    #expect(moon.signs == [moon.daySpan?.start.sign, moon.daySpan?.end.sign])
  }

  @Test func `a day survives its JSON, of a format that earlier builds refuse`() throws {
    let sky = try NatalChart(of: birth())
    let data = try sky.data
    #expect(try NatalChart(data: data) == sky)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains(#""formatVersion":2"#) && !text.contains("house") && !text.contains("ascendant"))
    let newer = Data(text.replacingOccurrences(of: #""formatVersion":2"#, with: #""formatVersion":3"#).utf8)
    let error = #expect(throws: AstroSvitlaError.self) { try NatalChart(data: newer) }
    #expect(error?.message.contains("update the app") == true)
    let cut = Data(text.replacingOccurrences(of: "daySpan", with: "span").utf8)
    #expect(#expect(throws: AstroSvitlaError.self) { try NatalChart(data: cut) }?.code == .invalidValue)
  }

  @Test func `a report of a day says what is missing, and speaks of no house`() async throws {
    let sky = try NatalChart(of: birth())
    for area in ReportArea.sold {
      let english = try await NatalReportWriter().write(area, for: sky, in: .english)
      #expect(english.contains("The time of birth is not known") && !english.contains("house "))
      let ukrainian = try await NatalReportWriter().write(area, for: sky, in: .ukrainian)
      #expect(ukrainian.contains("Час народження невідомий") && !ukrainian.contains("-й дім"))
    }
  }

  @Test func `a stored day has no time, and comes back as it was`() throws {
    let store = try AstroSvitlaStore(inMemory: Fixtures.id(1))
    let context = ModelContext(store.container)
    let user = try #require(try context.user(store.installation))
    let chart = try BirthChart(birth: birth(), chart: NatalChart(of: birth()), user: user)
    context.insert(chart)
    try context.save()
    #expect(try chart.birthTime == nil && chart.birthDateTime == nil && chart.birthMinute == 720)
    #expect(try chart.birth == birth() && chart.natalChart() == NatalChart(of: birth()))
  }

  @Test func `positions of a file need the time`() throws {
    let chart = try NatalChart(of: birth(at: .noon))
    let error = #expect(throws: AstroSvitlaError.self) { try chart.check(against: birth()) }
    #expect(error?.code == .invalidValue)
  }

  @Test func `the wheel of a day has the way of the Moon in place of houses`() throws {
    let wheel = ChartWheel(try NatalChart(of: birth()), language: .english).svg
    #expect(wheel.contains("moon-way\"") && !wheel.contains(">Asc<") && wheel.contains("time not known"))
  }

  @Test func `the program takes a birth without a time, and says what is missing`() throws {
    try withDevices("phone") { folder in
      let add = ["chart", "add", "Olena", "--date", "1991-08-24", "--time", "unknown", "--place", "Kyiv"]
      let added = try ProgramRun(["astrosvitla"] + add + ["--device", "phone"], in: folder)
      #expect(added.code == 0 && added.trouble.contains("time of birth is not known"), "\(added)")
      let show = ["astrosvitla", "chart", "show", "Olena", "--device", "phone"]
      let shown = try ProgramRun(show, in: folder).output
      #expect(shown.hasPrefix("Olena · August 24, 1991, time not known · Kyiv\n"))
      #expect(shown.contains("that day the Moon went from") && !shown.contains("houses by"), "\(shown)")
      let json = try ProgramRun(show + ["--json"], in: folder).output
      #expect(json.contains(#""daySpan""#) && !json.contains(#""houses""#) && !json.contains(#""time""#))
      let ukrainian = try ProgramRun(show + ["--language", "uk"], in: folder).output
      #expect(ukrainian.contains("24 серпня 1991\u{202F}р., час невідомий") && ukrainian.contains("Місяць пройшов від"))
    }
  }
}
