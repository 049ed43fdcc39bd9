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
        position.planet.name(in: language), position.signs.map { $0.name(in: language) }.joined(separator: "/"),
        phrases.degree(of: position), sky.house(of: position.planet).map { "\($0)" } ?? "–",
        phrases.degrees(position.speed, decimals: 3, isSigned: true),
        position.latitude.map { phrases.degrees($0, decimals: 2, isSigned: true) } ?? "–",
        position.isRetrograde ? phrases.retrograde : "",
      ]
    }
  }

  /// The cusps, and the midheaven beside them where it begins no house.
  var houses: [[String]] {
    let cusps = sky.houses?.cusps.enumerated().map { index, cusp in row("\(index + 1)", cusp, name(at: index)) } ?? []
    guard let midheaven = sky.midheaven, !isCusp(midheaven) else { return cusps }
    return cusps + [row("", midheaven, phrases.midheaven)]
  }

  var aspects: [[String]] {
    sky.aspects.map { aspect in
      [
        [aspect.first.name(in: language), aspect.kind.name(in: language), aspect.second.name(in: language)]
          .joined(separator: " "),
        phrases.degrees(aspect.deviation, decimals: 2), aspect.motion.name(in: language),
      ]
    }
  }

  private func name(at index: Int) -> String {
    if index == 0 { return phrases.ascendant }
    return index == 9 && sky.midheaven.map(isCusp) ?? false ? phrases.midheaven : ""
  }

  /// Whether the tenth house begins at the midheaven.
  private func isCusp(_ midheaven: EclipticLongitude) -> Bool { midheaven == sky.houses?.cusps[9] }

  private func row(_ house: String, _ cusp: EclipticLongitude, _ name: String) -> [String] {
    [house, cusp.sign.name(in: language), "\(DegreeText(cusp.degreesInSign))", name]
  }
}
