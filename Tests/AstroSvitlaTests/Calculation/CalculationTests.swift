import AstroSvitla
import Foundation
import NatalChartCalculation
import Testing

/// The calculated sky beside that of another ephemeris, for the births of the table. The bounds are those that the
/// documentation of `NatalChart(of:houses:)` promises.
@Suite struct CalculationTests {
  private let table: BirthTable
  /// With equal houses, in the order of the table.
  private let charts: [NatalChart]

  /// Calculated once for all tests.
  private static let calculated = Result {
    let table = try BirthTable()
    return (table, try table.rows.map { try NatalChart(at: $0.moment, over: $0.birth.place, houses: .equal) })
  }

  init() throws { (table, charts) = try Self.calculated.get() }

  @Test func `the table has births of two centuries, of both hemispheres, of polar latitudes and of many zones`() {
    #expect(table.rows.count >= 200)
    #expect(Set(table.rows.map(\.birth.place.timeZoneName)).count >= 190)
    #expect(Set(table.rows.map { $0.birth.day.year / 10 }) == Set(190...210))
    #expect(table.rows.count { $0.birth.place.latitude < -10 } >= 30)
    #expect(table.rows.count { $0.placidus == nil } >= 15)
  }

  @Test func `the clocks of a birth's place and year give the moment in UTC`() throws {
    for row in table.rows {
      let moment = row.birth.place.moment(of: row.birth.day, at: try #require(row.birth.time))
      #expect(moment == row.moment, "\(row.title): \(moment.timeIntervalSince(row.moment)) s")
    }
  }

  @Test func `planets stand within a fiftieth of a degree, Pluto within a tenth, and move as fast`() throws {
    for (row, chart) in zip(table.rows, charts) {
      for (found, right) in zip(chart.positions, row.positions) {
        let bound = found.planet == .pluto ? 0.1 : 0.02
        #expect(found.longitude.separation(from: right.longitude) <= bound, "\(found.planet) \(row.title)")
        let latitudes = try #require(found.latitude.flatMap { given in right.latitude.map { (given, $0) } })
        #expect(abs(latitudes.0 - latitudes.1) <= bound, "\(found.planet) \(row.title)")
        #expect(abs(found.speed - right.speed) <= 0.002, "\(found.planet) \(row.title)")
        if abs(right.speed) > 0.002 {
          #expect(found.isRetrograde == right.isRetrograde, "\(found.planet) \(row.title)")
        }
      }
    }
  }

  @Test func `ascendant, midheaven and the houses of both systems are right within a twentieth of a degree`() throws {
    for (row, equal) in zip(table.rows, charts) {
      #expect(try #require(equal.ascendant).separation(from: row.ascendant) <= 0.05, "\(row.title)")
      #expect(try #require(equal.midheaven).separation(from: row.midheaven) <= 0.05, "\(row.title)")
      #expect(try equal.houses == HouseRing(equalFrom: #require(equal.ascendant)) && equal.houseSystem == .equal)
      guard let cusps = row.placidus else { continue }
      let placidus = try NatalChart(at: row.moment, over: row.birth.place)
      #expect(placidus.houseSystem == .placidus && placidus.midheaven == placidus.houses?.cusps[9])
      for (found, right) in zip(try #require(placidus.houses).cusps, cusps) {
        #expect(found.separation(from: right) <= 0.05, "\(row.title)")
      }
    }
  }

  @Test func `where Placidus has no houses that is said, and equal ones are offered`() throws {
    for row in table.rows where row.placidus == nil {
      let error = #expect(throws: AstroSvitlaError.self) { try NatalChart(of: row.birth) }
      #expect(error?.code == .housesUndefined && error?.message.contains("choose equal houses") == true)
      #expect(error?.ukrainianMessage.contains("рівні доми") == true)
      #expect(throws: Never.self) { try NatalChart(of: row.birth, houses: .equal) }
    }
  }

  @Test func `aspects apply and separate as those of the other ephemeris, away from stations and edges`() throws {
    var compared = 0
    for (row, chart) in zip(table.rows, charts) {
      let others = Aspect.all(among: row.positions)
      for aspect in others where aspect.deviation > 0.05 && aspect.kind.orb - aspect.deviation > 0.05 {
        let speeds = [aspect.first, aspect.second].map { chart.position(of: $0).speed }
        guard abs(speeds[0] - speeds[1]) > 0.005 else { continue }
        let found = chart.aspects.first { $0.first == aspect.first && $0.second == aspect.second }
        #expect(found?.kind == aspect.kind && found?.motion == aspect.motion, "\(aspect) \(row.title)")
        compared += 1
      }
    }
    #expect(compared > 1_000)
  }

  @Test func `many threads calculate at once and find the same`() async throws {
    let rows = Array(table.rows.prefix(20))
    try await withThrowingTaskGroup(of: (Int, NatalChart).self) { group in
      for index in (0..<4).flatMap({ _ in rows.indices }) {
        group.addTask {
          (index, try NatalChart(at: rows[index].moment, over: rows[index].birth.place, houses: .equal))
        }
      }
      for try await (index, chart) in group { #expect(chart == charts[index]) }
    }
  }
}
