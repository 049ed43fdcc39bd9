import AstroSvitla
import LocalizedTexts

/// What is said of charts.
extension Phrases {
  func recalculated(_ name: String) -> String { say(.recalculated, name) }

  var retrograde: String { say(.retrograde) }
  var ascendant: String { say(.ascendant) }
  var midheaven: String { say(.midheaven) }

  func houses(_ system: HouseSystem?) -> String {
    switch system {
    case .placidus: say(.housesPlacidus)
    case .equal: say(.housesEqual)
    case nil: say(.houses)
    }
  }

  var chartHeader: [String] {
    columns(.columnID, .columnPerson, .columnBorn, .columnTimeZone, .columnProfile, .columnReports)
  }
  var planetHeader: [String] {
    columns(
      .columnPlanet, .columnSign, .columnDegree, .columnHouse, .columnADay, .columnLatitude, .columnMotion)
  }
  var houseHeader: [String] { columns(.columnHouse, .columnSign, .columnDegree, .columnPoint) }
  var aspectHeader: [String] { columns(.columnAspect, .columnDeviation, .columnMotion) }
  var placeHeader: [String] { columns(.columnPlace, .columnLatitude, .columnLongitude, .columnTimeZone) }

  /// When somebody was born: the day, and the time as far as it is known.
  func born(_ birth: BirthDetails) -> String {
    let time = birth.time.map { "\($0)" } ?? say(.timeUnknown)
    return [day(birth.day), time].joined(separator: birth.time == nil ? ", " : " ")
  }

  /// The place in a sign, or where the hour is not known, how far to both sides of it the planet may have stood.
  func degree(of position: PlanetPosition) -> String {
    let place = position.signs.count == 1 ? "\(DegreeText(position.longitude.degreesInSign))" : "–"
    guard let span = position.daySpan else { return place }
    return position.signs.count == 1 ? "\(place) ±\(DegreeText(span.degrees / 2))" : place
  }

  /// What is to be known of a sky without an hour; nil for others.
  func day(of sky: NatalChart) -> String? {
    guard sky.houses == nil else { return nil }
    let moon = sky.position(of: .moon).daySpan.map { span in
      let ends = [span.start, span.end].flatMap { end in
        ["\(DegreeText(end.degreesInSign))", end.sign.name(in: locale.language)]
      }
      return locale.text(MessageKey.moonWay, ends)
    }
    return [noTime, moon].compactMap { $0 }.joined(separator: "\n")
  }

  var noTime: String { say(.noTime) }

  func clockSkipped(_ time: String, _ moment: String) -> String { say(.clockSkipped, time, moment) }
  func clockRepeated(_ time: String, _ first: String, _ second: String) -> String {
    say(.clockRepeated, time, first, second)
  }
  func sharedHistory(_ zone: String) -> String { say(.sharedHistory, zone) }
}
