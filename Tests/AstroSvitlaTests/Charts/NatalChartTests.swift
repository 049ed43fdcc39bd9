import AstroSvitla
import Foundation
import TestSupport
import Testing

@Suite struct NatalChartTests {
  @Test func `a chart has each planet once and twelve houses in order`() throws {
    let chart = try Fixtures.chart()
    let houses = try #require(chart.houses)
    for positions in [Array(chart.positions.dropLast()), chart.positions.dropLast() + [chart.positions[0]]] {
      let refusal = #expect(throws: AstroSvitlaError.self) { try NatalChart(positions: positions, houses: houses) }
      #expect(refusal?.code == .invalidValue)
    }
    for cusps in [
      Array(houses.cusps.dropLast()), houses.cusps.reversed(),
      Array(repeating: try #require(chart.ascendant), count: 12),
    ] {
      #expect(#expect(throws: AstroSvitlaError.self) { try HouseRing(cusps: cusps) }?.code == .invalidValue)
    }
    #expect(try NatalChart(positions: chart.positions.reversed(), houses: #require(chart.houses)) == chart)
  }

  @Test func `speeds that no planet has are refused`() throws {
    let place = try EclipticLongitude(10)
    for (planet, speed) in [(Planet.sun, -0.1), (.mars, 21), (.mars, .nan)] {
      let refusal = #expect(throws: AstroSvitlaError.self) { try PlanetPosition(planet, at: place, speed: speed) }
      #expect(refusal?.code == .invalidValue, "\(planet) \(speed)")
    }
    #expect(try PlanetPosition(.mars, at: place, speed: -0.2).isRetrograde)
  }

  @Test func `every place lies in exactly one house, and a cusp in the one that begins there`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<100 {
      let start = Double.random(in: 0..<360, using: &generator)
      let steps = (0..<11).map { _ in Double.random(in: 0.5...30, using: &generator) }
      let cusps = try steps.reduce(into: [start]) { $0.append($0[$0.count - 1] + $1) }.map { try EclipticLongitude($0) }
      let ring = try HouseRing(cusps: cusps)
      for (index, cusp) in cusps.enumerated() { #expect(ring.house(of: cusp) == index + 1) }
      for _ in 0..<20 {
        let place = try EclipticLongitude(.random(in: 0..<360, using: &generator))
        let house = ring.house(of: place)
        let (from, to) = (cusps[house - 1], cusps[house % 12])
        #expect(from.distance(forwardTo: place) < from.distance(forwardTo: to))
      }
    }
  }

  @Test func `charts survive their JSON, which has five to ten kilobytes`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<50 {
      let chart = try Fixtures.randomChart(&generator)
      let data = try chart.data
      #expect(try NatalChart(data: data) == chart)
      #expect(try NatalChart(data: data).data == data)
      #expect((2_500...10_240).contains(data.count), "\(data.count) bytes")
    }
  }

  @Test func `planets add up over elements and over modalities`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<50 {
      let chart = try Fixtures.randomChart(&generator)
      #expect(chart.elements.values.reduce(0, +) == 10)
      #expect(chart.modalities.values.reduce(0, +) == 10)
      #expect(chart.aspects == Aspect.all(among: chart.positions.shuffled(using: &generator)))
    }
  }

  @Test func `derived values in the JSON are not believed`() throws {
    var text = String(decoding: try Fixtures.chart().data, as: UTF8.self)
    text = text.replacingOccurrences(of: #""sign":"aries""#, with: #""sign":"leo""#)
    #expect(try NatalChart(data: Data(text.utf8)) == Fixtures.chart())
  }

  @Test(
    arguments: [
      "", "[]", "{}", #"{"planets": [], "houses": []}"#, #"{"planets": [{"planet": "vulcan"}], "houses": []}"#,
    ])
  func `what is no chart is refused with a sentence that repeats none of it`(text: String) {
    let error = #expect(throws: AstroSvitlaError.self) { try NatalChart(data: Data(text.utf8)) }
    #expect(error?.code == .invalidValue)
    #expect(error?.description.contains("vulcan") == false)
  }

  @Test func `data beyond the limit is refused before it is read`() throws {
    let padding = Data(repeating: 0x20, count: NatalChart.maximumDataBytes + 1)
    let error = #expect(throws: AstroSvitlaError.self) { try NatalChart(data: try Fixtures.chart().data + padding) }
    #expect(error?.code == .invalidValue)
  }

  @Test func `the chart that comes with the examples is one`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../SyncFixtures/charts/olena.json").standardizedFileURL
    let chart = try NatalChart(data: Data(contentsOf: file))
    #expect(chart.position(of: .sun).longitude.sign == .virgo)
    #expect(chart.position(of: .mercury).isRetrograde)
  }
}
