extension ChartWheel {
  /// The twelve signs, coloured by element, and a tick for each degree.
  var zodiacRing: [String] {
    let bands = ZodiacSign.allCases.flatMap { sign in
      let (from, to) = (sign.degrees.lowerBound, sign.degrees.upperBound)
      return [
        geometry.segment(
          from: from, to: to, inner: geometry.degrees, outer: geometry.rim, style: "band \(sign.element.style)"),
        WheelGlyph.of(sign).element(
          at: geometry.point(from + 15, geometry.signs), scale: 1.25, style: "sign \(sign.element.style)-ink",
          title: sign.name(in: language)),
      ]
    }
    let ticks = (0..<360).map { degree in
      let length = degree % 10 == 0 ? 9.0 : degree % 5 == 0 ? 6.5 : 3.5
      return geometry.ray(
        Double(degree), from: geometry.degrees - length, to: geometry.degrees, style: degree % 10 == 0 ? "edge" : "tick"
      )
    }
    return bands + ticks + [
      geometry.circle(geometry.rim, style: "edge"), geometry.circle(geometry.degrees, style: "edge"),
    ]
  }

  /// The cusps with the numbers of the houses, and the two axes with their names.
  var houseRing: [String] {
    let rings = [geometry.circle(geometry.houses, style: "hair"), geometry.circle(geometry.aspects, style: "edge")]
    guard let cusps = chart.houses?.cusps else { return Array(rings.dropFirst()) }
    let lines = cusps.enumerated().map { index, cusp in
      geometry.ray(
        cusp.degrees, from: geometry.aspects, to: geometry.degrees, style: index == 0 || index == 6 ? "axis" : "cusp")
    }
    let numbers = cusps.indices.map { index in
      let middle = cusps[index].degrees + cusps[index].distance(forwardTo: cusps[(index + 1) % 12]) / 2
      return geometry.label("\(index + 1)", at: middle, geometry.numbers, style: "number")
    }
    return rings + lines + axes + numbers
  }

  /// Where the Moon may have stood, as an arc inside of the degrees; nothing where the hour of birth is known.
  var moonWay: [String] {
    guard let span = chart.position(of: .moon).daySpan else { return [] }
    let end = span.start.degrees + span.start.distance(forwardTo: span.end)
    return [
      geometry.segment(
        from: span.start.degrees, to: end, inner: geometry.planets + 18, outer: geometry.planets + 24,
        style: "band moon-way")
    ]
  }

  /// Ascendant and midheaven beyond the rim, and the lines of the meridian where it begins no house.
  private var axes: [String] {
    let names = [language.text(.ascendantShort), language.text(.descendantShort), "MC", "IC"]
    guard let ascendant = chart.ascendant?.degrees, let midheaven = chart.midheaven?.degrees else { return [] }
    let places = [ascendant, ascendant + 180, midheaven, midheaven + 180]
    return zip(names, places).map { geometry.label($0, at: $1, geometry.rim + 17, style: "axis-name") }
      + places[2...].map { geometry.ray($0, from: geometry.aspects, to: geometry.degrees, style: "axis") }
  }
}
