import Foundation

/// The app's own writer: a text that follows from the chart alone, without a network. Equal charts give equal texts.
public struct NatalReportWriter: ReportWriter {
  /// The planets and houses that an area is read from.
  private struct Focus {
    var planets: [Planet]
    var houses: [Int]
  }

  /// Creates a writer.
  public init() {}

  /// Throws `areaNotSold` for an area of old reports.
  public func write(_ area: ReportArea, for chart: NatalChart, in language: AppLanguage) async throws -> String {
    let words = ReportVocabulary(language)
    let focus = try Self.focus(of: area)
    let title = "\(area.name(in: language))\n"
    let paragraphs =
      [words.opening(area), chart.houses == nil ? words.noTime : nil, Self.temper(of: chart, words)].compactMap { $0 }
      + focus.planets.map { Self.planet($0, chart, words) }
      + focus.houses.compactMap { Self.house($0, chart, words) } + Self.aspects(of: focus.planets, chart, words)
      + [words.closing(area)]
    return ([title] + paragraphs).joined(separator: "\n")
  }

  private static func focus(of area: ReportArea) throws -> Focus {
    switch area {
    case .personality: Focus(planets: [.sun, .moon, .mercury, .uranus], houses: [1, 3])
    case .career: Focus(planets: [.saturn, .jupiter, .mars, .sun], houses: [2, 6, 10])
    case .relationship: Focus(planets: [.venus, .moon, .mars, .pluto], houses: [5, 7])
    case .wellness: Focus(planets: [.moon, .mars, .sun, .neptune], houses: [1, 6, 12])
    default:
      throw AstroSvitlaError(.areaNotSold, .areaNotWritten, "\(area)")
    }
  }

  /// The leading element and modality; of equal ones the first.
  private static func temper(of chart: NatalChart, _ words: ReportVocabulary) -> String {
    let (elements, modalities) = (chart.elements, chart.modalities)
    let element = ZodiacSign.Element.allCases.reduce(.fire) {
      elements[$1, default: 0] > elements[$0, default: 0] ? $1 : $0
    }
    let modality = ZodiacSign.Modality.allCases.reduce(.cardinal) {
      modalities[$1, default: 0] > modalities[$0, default: 0] ? $1 : $0
    }
    return "\(words.elementLead(element)) \(words.modalityLead(modality))"
  }

  private static func planet(_ planet: Planet, _ chart: NatalChart, _ words: ReportVocabulary) -> String {
    let position = chart.position(of: planet)
    let (sign, house) = (position.longitude.sign, chart.house(of: planet))
    guard position.signs.count == 1 else { return words.twoSigns(planet, position.signs) }
    let place =
      [words.planetName(planet) + " " + words.inSign(sign), house.map(words.house)].compactMap { $0 }
      .joined(separator: ", ") + "."
    let theme =
      ["\(words.planetTheme(planet)): \(words.signManner(sign))", house.map(words.houseTheme)]
      .compactMap { $0 }.joined(separator: " — ") + "."
    return [place, theme, position.isRetrograde ? words.retrograde : nil].compactMap { $0 }.joined(separator: " ")
  }

  /// Nil where the hour of birth is not known.
  private static func house(_ number: Int, _ chart: NatalChart, _ words: ReportVocabulary) -> String? {
    guard let sign = chart.houses?.cusps[number - 1].sign else { return nil }
    let name = words.house(number)
    let subject = number == 1 ? words.ascendant : name.prefix(1).uppercased() + name.dropFirst()
    let rest = "\(words.houseTheme(number)) — \(words.signManner(sign))."
    return "\(subject) \(words.inSign(sign)): \(rest)"
  }

  /// The five closest aspects of the area's planets.
  private static func aspects(of planets: [Planet], _ chart: NatalChart, _ words: ReportVocabulary) -> [String] {
    let found = chart.aspects.filter { planets.contains($0.first) || planets.contains($0.second) }
    guard !found.isEmpty else { return [words.noAspects] }
    return found.sorted { $0.deviation < $1.deviation }.prefix(5).map { aspect in
      let (first, second) = (words.planetName(aspect.first), lowered(words.planetName(aspect.second)))
      let head = "\(first) \(words.aspectName(aspect.kind)) \(second), \(words.deviation(aspect.deviation))"
      return "\(head): \(words.aspectMeaning(aspect.kind)). \(words.motion(aspect.motion))"
    }
  }

  /// "the Moon" inside of a sentence; names stay as they are.
  private static func lowered(_ name: String) -> String {
    name.hasPrefix("The ") ? "the " + name.dropFirst(4) : name
  }
}
