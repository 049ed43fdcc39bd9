import ArgumentParser
import AstroSvitla
import Foundation
import LocalizedTexts
import RecordStore

struct ChartShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a chart's planets, houses and aspects.",
    discussion: """
      With --svg the wheel is drawn as well, light or dark as its viewer's system asks, or as --theme says.


      """ + Program.exitCodes)

  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var chart: String
  @Option(
    help: ArgumentHelp("Draw the wheel into this file.", valueName: "file"), completion: .file(extensions: ["svg"]),
    transform: Report.path)
  var svg: String?
  @Option(help: "The wheel's colours: viewer, light or dark.", transform: theme)
  var theme: WheelTheme = .viewer
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = ChartService(try device.store(.readOnly))
    let details = try await service.chart(named: chart)
    let sky = try await service.natalChart(of: details.id)
    if let svg { try draw(sky, of: details.birth, into: svg) }
    if output.json { return try Report.json(ShownChart(sky: sky, birth: ChartRow(details))) }
    let tables = ChartTables(sky, output)
    try Report.line(caption(details.birth))
    if let note = output.phrases.day(of: sky) { try Report.line(note) }
    try Report.table(output.phrases.planetHeader, tables.planets)
    try Report.line("")
    if sky.houses != nil {
      try Report.line(output.phrases.houses(sky.houseSystem))
      try Report.table(output.phrases.houseHeader, tables.houses)
      try Report.line("")
    }
    try Report.table(output.phrases.aspectHeader, tables.aspects)
  }

  private func caption(_ birth: BirthDetails) -> String { "\(birth.name) · \(subtitle(birth))" }

  private func subtitle(_ birth: BirthDetails) -> String {
    "\(output.phrases.born(birth)) · \(PlaceTable.displayName(of: birth.place, in: output.spoken))"
  }

  private func draw(_ sky: NatalChart, of birth: BirthDetails, into path: String) throws {
    let wheel = ChartWheel(
      sky, title: birth.name, subtitle: subtitle(birth), language: output.spoken, theme: theme)
    do {
      try FileItem.write(Data(wheel.svg.utf8), to: URL(filePath: path))
    } catch {
      throw AstroSvitlaError(
        .outputFailed, .wheelUnwritable, .text(path),
        cause: error.systemReason)
    }
  }

  @Sendable private static func theme(_ text: String) throws -> WheelTheme {
    guard let theme = WheelTheme(rawValue: text) else { throw ValidationError("the theme is viewer, light or dark") }
    return theme
  }
}

/// A sky as JSON, with the birth beside its members.
private struct ShownChart: Encodable {
  var sky: NatalChart
  var birth: ChartRow

  private enum Key: String, CodingKey { case birth }

  func encode(to encoder: any Encoder) throws {
    try sky.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(birth, forKey: .birth)
  }
}
