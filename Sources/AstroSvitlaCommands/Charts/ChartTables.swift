import AstroSvitla
import Foundation

/// A sky as rows for people.
struct ChartTables {
  let sky: NatalChart
  let language: AppLanguage
  let phrases: Phrases

  init(_ sky: NatalChart, _ output: OutputOptions) {
    self.sky = sky
    language = output.spoken
    phrases = output.phrases
  }

  var planets: [[String]] {
    sky.positions.map { position in
      [
        position.planet.name(in: language), position.longitude.sign.name(in: language),
        "\(DegreeText(position.longitude.degreesInSign))", "\(sky.house(of: position.planet))",
        String(format: "%+.3f°", position.speed), position.latitude.map { String(format: "%+.2f°", $0) } ?? "–",
        position.isRetrograde ? phrases.retrograde : "",
      ]
    }
  }

  /// The cusps, and the midheaven beside them where it begins no house.
  var houses: [[String]] {
    let cusps = sky.houses.cusps.enumerated().map { index, cusp in row("\(index + 1)", cusp, name(at: index)) }
    return sky.midheaven == sky.houses.cusps[9] ? cusps : cusps + [row("", sky.midheaven, phrases.midheaven)]
  }

  var aspects: [[String]] {
    sky.aspects.map { aspect in
      [
        [aspect.first.name(in: language), aspect.kind.name(in: language), aspect.second.name(in: language)]
          .joined(separator: " "),
        String(format: "%.2f°", aspect.deviation), aspect.motion.name(in: language),
      ]
    }
  }

  private func name(at index: Int) -> String {
    if index == 0 { return phrases.ascendant }
    return index == 9 && sky.midheaven == sky.houses.cusps[9] ? phrases.midheaven : ""
  }

  private func row(_ house: String, _ cusp: EclipticLongitude, _ name: String) -> [String] {
    [house, cusp.sign.name(in: language), "\(DegreeText(cusp.degreesInSign))", name]
  }
}
