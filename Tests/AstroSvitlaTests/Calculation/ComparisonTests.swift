import AstroSvitla
import Foundation
import NatalChartCalculation
import Testing

/// Positions from elsewhere beside the birth that they are said to be of.
@Suite struct ComparisonTests {
  private func refusal(_ chart: NatalChart, _ birth: BirthDetails) -> String? {
    do {
      try chart.check(against: birth)
      return nil
    } catch {
      return (error as? AstroSvitlaError).map { "\($0.code): \($0.message)" } ?? "\(error)"
    }
  }

  private func olena(at time: String = "07:45", on day: String = "1991-08-24", east: Double = 30.52) throws
    -> BirthDetails
  {
    try BirthDetails(
      name: "Olena", day: BirthDay(iso: day), time: BirthTime(iso: time),
      place: BirthPlace(latitude: 50.45, longitude: east, timeZoneName: "Europe/Kyiv"))
  }

  @Test func `a chart passes for its own birth and, as minutes are rounded, for the next minute`() throws {
    let chart = try NatalChart(of: olena())
    #expect(refusal(chart, try olena()) == nil)
    #expect(refusal(chart, try olena(at: "07:46")) == nil)
    #expect(refusal(try NatalChart(of: olena(), houses: .equal), try olena()) == nil)
  }

  @Test(arguments: [
    ("09:15", "1991-08-24", 30.52, "Moon"), ("07:45", "1991-08-25", 30.52, "Sun"),
    ("07:45", "1992-08-24", 30.52, "Sun"),
    ("07:45", "1991-08-24", -30.52, "ascendant"),
  ])
  func `another hour, day, year or place is found out`(time: String, day: String, east: Double, what: String) throws {
    let chart = try NatalChart(of: olena())
    let refusal = try #require(try self.refusal(chart, olena(at: time, on: day, east: east)))
    #expect(refusal.hasPrefix("positionsDiffer: ") && refusal.contains("(\(what) differs by"), "\(refusal)")
  }

  @Test func `a planet that moves the other way is found out, unless it all but stands`() throws {
    let chart = try NatalChart(of: olena())
    func turned(_ planet: Planet) throws -> NatalChart {
      try NatalChart(
        positions: chart.positions.map {
          try PlanetPosition($0.planet, at: $0.longitude, speed: $0.planet == planet ? -$0.speed : $0.speed)
        }, houses: #require(chart.houses))
    }
    #expect(refusal(try turned(.mercury), try olena())?.contains("Mercury moves the other way") == true)
    #expect(refusal(try turned(.pluto), try olena()) == nil)
  }

  @Test func `the chart that comes with the examples is the sky of its birth`() throws {
    let file = packageRoot.appending(path: "SyncFixtures/charts/olena.json")
    let chart = try NatalChart(data: Data(contentsOf: file))
    #expect(refusal(chart, try olena()) == nil)
    #expect(chart.houseSystem == .placidus && chart.positions.allSatisfy { $0.latitude != nil })
  }
}
