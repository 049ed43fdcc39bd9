import AstroSvitla
import Foundation
import Testing

/// Places of a file in the form of GeoNames, which a person brings.
@Suite struct PlaceFileTests {
  /// Lines made up for the test in the form of the file.
  private static let rows = [
    ("Truskavets", "Трускавець,Truskawiec", "49.2785", "23.505", "UA", "15", "Europe/Kyiv"),
    ("Springfield", "", "39.8017", "-89.6437", "US", "IL", "America/Chicago"),
    ("Springfield", "", "42.1015", "-72.5898", "US", "MA", "America/New_York"),
    ("Springfield", "", "-43.3368", "171.9284", "NZ", "E9", "Pacific/Auckland"),
  ]

  private static let text = rows.enumerated().map { index, row in
    [
      "\(index)", row.0, row.0, row.1, row.2, row.3, "P", "PPL", row.4, "", row.5, "", "", "", "1000", "", "1", row.6,
      "2026-01-01",
    ].joined(separator: "\t")
  }.joined(separator: "\n")

  private func withFile(_ text: String = text, _ body: (URL) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "places-\(UUID().uuidString).txt")
    try Data(text.utf8).write(to: file)
    try body(file)
    try FileManager.default.removeItem(at: file)
  }

  @Test(arguments: ["Truskavets", "truskavets", "Трускавець", "ТРУСКАВЕЦЬ", "Truskawiec, ua"])
  func `a town is found in any case and under any of its names`(name: String) throws {
    try withFile { file in
      let place = try PlaceFile(file).place(named: name)
      #expect(place.name == "Truskavets" && place.timeZoneName == "Europe/Kyiv")
      #expect(place.latitude == 49.2785 && place.longitude == 23.505)
    }
  }

  @Test func `places of one name are told apart by country and region, and never guessed`() throws {
    try withFile { file in
      let places = try PlaceFile(file)
      #expect(try places.place(named: "Springfield, NZ").timeZoneName == "Pacific/Auckland")
      #expect(try places.place(named: "springfield, us.ma").timeZoneName == "America/New_York")
      for name in ["Springfield", "Springfield, US"] {
        let error = #expect(throws: AstroSvitlaError.self) { try places.place(named: name) }
        #expect(error?.code == .ambiguous)
      }
      for name in ["Springfield, UA", "Nowhere", "", ","] {
        let error = #expect(throws: AstroSvitlaError.self) { try places.place(named: name) }
        #expect(error?.code == .notFound)
      }
    }
  }

  @Test func `a file of another form, and one that is not there, are refused`() throws {
    for text in ["", "Kyiv,50.45,30.52\n"] {
      try withFile(text) { file in
        let error = #expect(throws: AstroSvitlaError.self) { try PlaceFile(file) }
        #expect(error?.code == .unreadableFile)
      }
    }
    let nowhere = URL(filePath: "/nowhere/places.txt")
    #expect(#expect(throws: AstroSvitlaError.self) { try PlaceFile(nowhere) }?.code == .unreadableFile)
  }

  @Test func `the program takes a place of the file, and of the system's table beside it`() throws {
    try withFile { file in
      try withDevices("phone") { folder in
        func add(_ place: String) throws -> ProgramRun {
          let birth = ["--date", "1991-08-24", "--time", "07:45", "--place", place, "--device", "phone"]
          return try ProgramRun(["astrosvitla", "chart", "add", place, "--places", file.path] + birth, in: folder)
        }
        #expect(try add("Трускавець").code == 0)
        #expect(try add("Kyiv").code == 0)
        #expect(try add("Springfield").code == 1)
        #expect(try add("Nowhere").code == 1)
        let list = try ProgramRun(["astrosvitla", "chart", "list", "--json", "--device", "phone"], in: folder)
        #expect(list.output.contains(#""place" : "Truskavets""#) && list.output.contains(#""place" : "Kyiv""#))
      }
    }
  }
}
