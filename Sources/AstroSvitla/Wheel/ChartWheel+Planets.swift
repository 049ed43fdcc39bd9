import Foundation

extension ChartWheel {
  /// How many degrees two symbols need beside each other.
  private static let room = 9.5

  /// The planets, moved apart where they would cover one another; a line leads to where each stands.
  var planets: [String] {
    let sorted = chart.positions.sorted { $0.longitude < $1.longitude }
    let places = Self.spread(sorted.map(\.longitude.degrees), room: Self.room)
    return zip(sorted, places).flatMap { position, place in
      let inSign = position.longitude.degreesInSign
      // Rounding 29°59′ up would name a degree that the sign does not have.
      let label = "\(Int(inSign))°" + (position.isRetrograde ? " R" : "")
      return [
        WheelGeometry.line(
          geometry.point(position.longitude.degrees, geometry.degrees - 10),
          geometry.point(place, geometry.planets + 16),
          style: "pointer"),
        geometry.disc(at: place, geometry.planets, radius: 13.5, style: "paper"),
        WheelGlyph.of(position.planet).element(
          at: geometry.point(place, geometry.planets), scale: 1.15, style: "planet", title: title(of: position)),
        geometry.label(label, at: place, geometry.labels, style: position.isRetrograde ? "degree back" : "degree"),
      ]
    }
  }

  private func title(of position: PlanetPosition) -> String {
    let name = position.planet.name(in: language)
    return "\(name): \(DegreeText(position.longitude.degreesInSign)) \(position.longitude.sign.name(in: language))"
  }

  /// The aspects as lines across the middle, the closest above the others.
  var aspectLines: [String] {
    chart.aspects.sorted { $0.deviation > $1.deviation }.map { aspect in
      let ends = [aspect.first, aspect.second].map { planet in
        geometry.point(chart.position(of: planet).longitude.degrees, geometry.aspects)
      }
      let style = aspect.deviation < aspect.kind.orb / 2 ? aspect.kind.style : "\(aspect.kind.style) faint"
      return WheelGeometry.line(ends[0], ends[1], style: style)
    }
  }

  /// Angles in rising order, moved as little as it takes for each two neighbours to be so far apart; the last is the
  /// first one's neighbour. Each round halves what is missing; twelve dozen rounds leave nothing that one could see.
  static func spread(_ angles: [Double], room: Double) -> [Double] {
    guard angles.count > 1, Double(angles.count) * room <= 360 else { return angles }
    var places = angles
    for _ in 0..<144 {
      for index in places.indices {
        let next = (index + 1) % places.count
        let gap = places[next] - places[index] + (next == 0 ? 360 : 0)
        guard gap < room else { continue }
        places[index] -= (room - gap) / 2
        places[next] += (room - gap) / 2
      }
    }
    return places
  }
}
