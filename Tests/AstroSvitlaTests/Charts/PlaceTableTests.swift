import AstroSvitla
import Foundation
import Testing

/// Places by name, from the system's tables of time zones.
@Suite struct PlaceTableTests {
  @Test(arguments: ["Kyiv", "kyiv", " KYIV ", "Київ", "київ", "Europe/Kyiv"])
  func `a city is found in any case, in both languages, and by its zone`(name: String) throws {
    let place = try PlaceTable().place(named: name)
    #expect(place.timeZoneName == "Europe/Kyiv" && place.name == "Kyiv")
    #expect(abs(place.latitude - 50.4333) < 0.001 && abs(place.longitude - 30.5167) < 0.001)
  }

  @Test func `cities of two words, of the west and of the south are found`() throws {
    let table = try PlaceTable()
    let aires = try table.place(named: "buenos aires")
    #expect(aires.latitude < -34 && aires.longitude < -58 && aires.name == "Buenos Aires")
    #expect(try table.place(named: "Нью-Йорк").timeZoneName == "America/New_York")
    #expect(table.places.count > 300)
    #expect(Set(table.places.map(\.timeZoneName)).count == table.places.count)
  }

  @Test func `a place that the table does not have is said, with what to give instead`() throws {
    let error = #expect(throws: AstroSvitlaError.self) { try PlaceTable().place(named: "Nowhere") }
    #expect(error?.code == .notFound && error?.message.contains("--latitude") == true)
    #expect(error?.message.contains("Nowhere") == false)
  }

  @Test func `zones that share their history with another are told`() throws {
    let table = try PlaceTable()
    #expect(table.hasOwnHistory("Europe/Kyiv") && table.hasOwnHistory("UTC"))
    #expect(!table.hasOwnHistory("Europe/Amsterdam"))
  }

  @Test func `a system without the tables is told which package brings them`() throws {
    let nowhere = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let error = #expect(throws: AstroSvitlaError.self) { try PlaceTable(folder: nowhere) }
    #expect(error?.code == .unreadableFile && error?.message.contains("tzdata") == true)
  }
}
