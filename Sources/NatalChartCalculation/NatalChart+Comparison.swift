public import AstroSvitla
import Foundation

extension NatalChart {
  /// How far positions from elsewhere may be from the calculated ones, in degrees. A birth is known to the minute, in
  /// which the ascendant moves by a quarter of a degree, near the polar circles by more; tables are often rounded.
  public static let tolerance = (planets: 0.5, ascendant: 3.0)

  /// Holds a chart from elsewhere against the sky of its birth: the places of the planets, which of them go backwards,
  /// and the ascendant. Other cusps differ from one system of houses to another and are not compared.
  ///
  /// - Throws: `positionsDiffer`, which names the first that differs.
  public func check(against birth: BirthDetails) throws {
    // Equal houses have an answer everywhere.
    let sky = try NatalChart(of: birth, houses: .equal)
    for (given, right) in zip(positions, sky.positions) {
      let distance = given.longitude.separation(from: right.longitude)
      guard distance <= Self.tolerance.planets else {
        throw Self.difference(given.planet.name(in: .english), given.planet.name(in: .ukrainian), distance)
      }
      guard given.isRetrograde == right.isRetrograde || abs(right.speed) < Self.standstill else {
        throw Self.otherDirection(given.planet)
      }
    }
    let distance = ascendant.separation(from: sky.ascendant)
    guard distance <= Self.tolerance.ascendant else { throw Self.difference("ascendant", "асцендент", distance) }
  }

  /// Degrees a day below which a table and this calculation may see a planet turn on different days.
  private static let standstill = 0.03

  private static func difference(_ name: String, _ ukrainian: String, _ distance: Double) -> AstroSvitlaError {
    let degrees = String(format: "%.1f", distance)
    return AstroSvitlaError(
      .positionsDiffer,
      "the positions are not the sky of this birth (\(name) differs by \(degrees)°): check date, time, zone and place, "
        + "or leave the positions out",
      ukrainian:
        "позиції не відповідають небу цього народження (\(ukrainian): різниця \(degrees)°): перевірте дату, час, пояс "
        + "і місце або не подавайте позицій")
  }

  private static func otherDirection(_ planet: Planet) -> AstroSvitlaError {
    AstroSvitlaError(
      .positionsDiffer,
      "the positions are not the sky of this birth (\(planet.name(in: .english)) moves the other way): check the date, "
        + "or leave the positions out",
      ukrainian:
        "позиції не відповідають небу цього народження (\(planet.name(in: .ukrainian)) рухається в інший бік): "
        + "перевірте дату або не подавайте позицій")
  }
}
