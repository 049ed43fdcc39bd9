import ArgumentParser
import AstroSvitla
import Foundation

struct ChartShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a chart's planets, houses and aspects.", discussion: Program.exitCodes)

  @Argument(help: "Its name in any case, its id, or the first four or more characters of the id.")
  var chart: String
  @OptionGroup var device: DeviceOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let service = ChartService(try device.store(.readOnly))
    let details = try await service.chart(named: chart)
    let sky = try await service.natalChart(of: details.id)
    if output.json { return try Report.json(sky) }
    let language = output.spoken
    try Report.line("\(details.birth.name) · \(details.birth.day) \(details.birth.time)")
    try Report.table(
      output.phrases.planetHeader,
      sky.positions.map { position in
        [
          position.planet.name(in: language), position.longitude.sign.name(in: language),
          String(format: "%.2f", position.longitude.degreesInSign), "\(sky.house(of: position.planet))",
          position.isRetrograde ? "R" : "",
        ]
      })
    try Report.table(
      output.phrases.aspectHeader,
      sky.aspects.map { aspect in
        [
          [aspect.first.name(in: language), aspect.kind.name(in: language), aspect.second.name(in: language)]
            .joined(separator: " "),
          String(format: "%.2f", aspect.deviation), aspect.motion.name(in: language),
        ]
      })
  }
}
