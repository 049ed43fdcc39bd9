public import AstroSvitla
import Foundation
import LocalizedTexts

extension NatalChart {
  /// How far positions from elsewhere may be from the calculated ones, in degrees. A birth is known to the minute, in
  /// which the ascendant moves by a quarter of a degree, near the polar circles by more; tables are often rounded.
  public static let tolerance = (planets: 0.5, ascendant: 3.0)

  /// Holds a chart from elsewhere against the sky of its birth: the places of the planets, which of them go backwards,
  /// and the ascendant. Other cusps differ from one system of houses to another and are not compared.
  ///
  /// - Throws: `invalidValue` where the hour of birth is not known; `positionsDiffer`, with the first that differs.
  public func check(against birth: BirthDetails) throws {
    guard birth.time != nil, let ascendant else { throw AstroSvitlaError(.invalidValue, .positionsNeedTime) }
    // Equal houses have an answer everywhere.
    let sky = try NatalChart(of: birth, houses: .equal)
    for (given, right) in zip(positions, sky.positions) {
      let distance = given.longitude.separation(from: right.longitude)
      guard distance <= Self.tolerance.planets else {
        throw Self.difference(given.planet.key, distance)
      }
      guard given.isRetrograde == right.isRetrograde || abs(right.speed) < Self.standstill else {
        throw Self.otherDirection(given.planet)
      }
    }
    guard let right = sky.ascendant else { return }
    let distance = ascendant.separation(from: right)
    guard distance <= Self.tolerance.ascendant else { throw Self.difference(.ascendant, distance) }
  }

  /// Degrees a day below which a table and this calculation may see a planet turn on different days.
  private static let standstill = 0.03

  private static func difference(_ name: MessageKey, _ distance: Double) -> AstroSvitlaError {
    AstroSvitlaError(
      .positionsDiffer, .positionsDiffer, .sentence(Sentence(name)), .number(distance, decimals: 1))
  }

  private static func otherDirection(_ planet: Planet) -> AstroSvitlaError {
    AstroSvitlaError(.positionsDiffer, .planetMovesOtherWay, .sentence(Sentence(planet.key)))
  }
}
