import ArgumentParser
import AstroSvitla

struct ChartPlaces: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "places", abstract: "List the cities that --place knows: the principal ones of the time zones.",
    discussion: """
      They come from the system's tables of time zones.


      """ + Program.exitCodes)

  @Option(help: "Only those whose name or zone has this in it.")
  var search: String?
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let (language, phrases) = (output.spoken, output.phrases)
    let rows = try PlaceTable().places.map { Row($0, in: language) }
      .filter { row in search.map { row.text.contains($0.lowercased()) } ?? true }
      .sorted { ($0.name, $0.timeZone) < ($1.name, $1.timeZone) }
    if output.json { return try Report.json(rows) }
    try Report.table(
      output.phrases.placeHeader,
      rows.map {
        [$0.name, phrases.number($0.latitude), phrases.number($0.longitude), $0.timeZone]
      })
  }

  private struct Row: Encodable {
    var name: String
    var latitude: Double
    var longitude: Double
    var timeZone: String

    init(_ place: BirthPlace, in language: AppLanguage) {
      name = PlaceTable.name(of: place, in: language)
      latitude = place.latitude
      longitude = place.longitude
      timeZone = place.timeZoneName
    }

    var text: String { "\(name) \(timeZone.replacing("_", with: " "))".lowercased() }
  }
}
