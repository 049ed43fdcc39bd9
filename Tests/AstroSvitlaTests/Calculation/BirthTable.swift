import AstroSvitla
import Foundation

/// SyncFixtures/charts/births.csv: births, and the sky of each as another ephemeris has it. `tools/births` wrote it.
struct BirthTable {
  struct Row {
    let birth: BirthDetails
    let moment: Date
    let positions: [PlanetPosition]
    let ascendant: EclipticLongitude
    let midheaven: EclipticLongitude
    /// Nil where Placidus has no answer.
    let placidus: [EclipticLongitude]?

    var title: String {
      "\(birth.day) \(birth.time.map { "\($0)" } ?? "") \(birth.place.timeZoneName) \(birth.place.latitude)"
    }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }

  let rows: [Row]

  init() throws {
    let file = packageRoot.appending(path: "SyncFixtures/charts/births.csv")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    rows = try lines.dropFirst().map { cells in
      guard cells.count == lines[0].count else { throw Failure(description: "a row has \(cells.count) cells") }
      return try Row(Cells(values: Dictionary(uniqueKeysWithValues: zip(lines[0], cells))))
    }
  }

  /// A row's cells by the names of their columns.
  fileprivate struct Cells {
    let values: [String: String]

    func text(_ column: String) throws -> String {
      guard let text = values[column] else { throw Failure(description: "there is no column \(column)") }
      return text
    }

    func number(_ column: String) throws -> Double {
      guard let number = Double(try text(column)) else { throw Failure(description: "\(column) is no number") }
      return number
    }
  }
}

extension BirthTable.Row {
  fileprivate init(_ cells: BirthTable.Cells) throws {
    birth = try BirthDetails(
      name: "Somebody", day: BirthDay(iso: cells.text("date")), time: BirthTime(iso: cells.text("time")),
      place: BirthPlace(
        latitude: cells.number("latitude"), longitude: cells.number("longitude"), timeZoneName: cells.text("zone")))
    moment = try Date(cells.text("utc"), strategy: .iso8601)
    positions = try Planet.allCases.map { planet in
      try PlanetPosition(
        planet, at: EclipticLongitude(cells.number(planet.rawValue.lowercased())),
        latitude: cells.number("\(planet.rawValue.lowercased()) latitude"),
        speed: cells.number("\(planet.rawValue.lowercased()) speed"))
    }
    ascendant = try EclipticLongitude(cells.number("ascendant"))
    midheaven = try EclipticLongitude(cells.number("midheaven"))
    placidus =
      try cells.text("house 1").isEmpty
      ? nil : (1...12).map { try EclipticLongitude(cells.number("house \($0)")) }
  }
}
