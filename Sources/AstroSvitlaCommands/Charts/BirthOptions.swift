import ArgumentParser
import AstroSvitla
import Foundation

/// When and where somebody was born.
struct BirthOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The day, 1900-01-01 to 2100-12-31.", valueName: "day"),
    transform: OutputOptions.reading(BirthDay.init(iso:)))
  var date: BirthDay
  @Option(
    help: "The time that clocks showed, to the minute, such as 07:45; or unknown.",
    transform: OutputOptions.reading(GivenTime.init(text:)))
  var time: GivenTime
  @Option(help: "A city of chart places; with degrees, only a name for them.")
  var place: String?
  @Option(
    help: ArgumentHelp(
      "More places for --place: a file of geonames.org, such as cities500.txt.",
      discussion: "Of places of one name, Paris, FR is told by the country, and Springfield, US.IL by the region, too.",
      valueName: "file"), completion: .file(extensions: ["txt"]), transform: Report.path)
  var places: String?
  @Option(parsing: .unconditional, help: "-90 to 90.")
  var latitude: Double?
  @Option(parsing: .unconditional, help: "-180 to 180, east positive.")
  var longitude: Double?
  @Option(help: "A name of the IANA database, such as Europe/Kyiv; unless given, the city's.")
  var timeZone: String?

  func validate() throws {
    let degrees = [latitude, longitude].compactMap { $0 }.count
    guard degrees == 2 && timeZone != nil || degrees == 0 && place != nil else {
      throw ValidationError("give --place with a city of chart places, or --latitude, --longitude and --time-zone")
    }
  }

  func birthPlace() throws -> BirthPlace {
    if let latitude, let longitude, let timeZone {
      return try BirthPlace(latitude: latitude, longitude: longitude, timeZoneName: timeZone, name: place)
    }
    let city = try foundPlace(place ?? "")
    return try BirthPlace(
      latitude: city.latitude, longitude: city.longitude, timeZoneName: timeZone ?? city.timeZoneName, name: city.name)
  }

  /// The place of the file, else of the system's table.
  private func foundPlace(_ name: String) throws -> BirthPlace {
    guard let places else { return try PlaceTable().place(named: name) }
    do {
      return try PlaceFile(URL(filePath: places)).place(named: name)
    } catch let error as AstroSvitlaError where error.code == .notFound {
      return try PlaceTable().place(named: name)
    }
  }

  /// What a person should know about the moment that is taken, if anything.
  func notes(_ birth: BirthDetails, _ phrases: Phrases) throws -> [String] {
    var notes: [String] = []
    if let time = birth.time {
      switch birth.place.clockReading(of: birth.day, at: time) {
      case .once: break
      case .skipped(let moment): notes.append(phrases.clockSkipped("\(time)", Report.date(moment)))
      case .twice(let first, let second):
        notes.append(phrases.clockRepeated("\(time)", Report.date(first), Report.date(second)))
      }
    } else {
      notes.append(phrases.noTime)
    }
    if birth.day.year < 1970, try !PlaceTable().hasOwnHistory(birth.place.timeZoneName) {
      notes.append(phrases.sharedHistory(birth.place.timeZoneName))
    }
    return notes
  }
}
