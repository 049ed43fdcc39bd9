import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import AstroSvitla

@Suite struct ChartWheelTests {
  private func document(_ wheel: ChartWheel) throws -> XMLDocument {
    try XMLDocument(xmlString: wheel.svg, options: [])
  }

  @Test func `the wheel is XML for any name, with a symbol for each sign and planet`() throws {
    var generator = SeededGenerator.announced()
    for name in ["Olena", "Олена", #"<b>"&'"#, "", "👩‍👧‍👦", "\u{1}"] {
      let wheel = ChartWheel(
        try Fixtures.randomChart(&generator), title: name, subtitle: "1991 & <after>", language: .english)
      let document = try document(wheel)
      let titles = try document.nodes(forXPath: "//*[local-name()='title']").compactMap(\.stringValue)
      #expect(titles.count == 22 && Set(titles).count == 22)
      for planet in Planet.allCases {
        #expect(titles.contains { $0.hasPrefix("\(planet.name(in: .english)): ") })
      }
    }
  }

  @Test func `each theme has its colours, and the viewer's has both`() throws {
    let chart = try Fixtures.chart()
    func svg(_ theme: WheelTheme) -> String { ChartWheel(chart, language: .english, theme: theme).svg }
    #expect(svg(.light).contains("#fdfcf9") && !svg(.light).contains("#16151d"))
    #expect(svg(.dark).contains("#16151d") && !svg(.dark).contains("#fdfcf9"))
    #expect(svg(.viewer).contains("#fdfcf9") && svg(.viewer).contains("(prefers-color-scheme: dark)"))
  }

  @Test func `equal charts give equal pictures, in the language of the reader`() throws {
    let chart = try Fixtures.chart()
    let english = ChartWheel(chart, title: "Olena", language: .english).svg
    #expect(english == ChartWheel(chart, title: "Olena", language: .english).svg)
    #expect(english.contains(">Asc<") && english.contains("Sun Aries, Moon Taurus, Ascendant Libra"))
    let ukrainian = ChartWheel(chart, title: "Olena", language: .ukrainian).svg
    #expect(ukrainian.contains(">Асц<") && ukrainian.contains("<title>Овен</title>"))
  }

  @Test func `the ascendant is at the left, and longitudes rise counterclockwise`() {
    let geometry = WheelGeometry(left: 300)
    let (left, bottom) = (geometry.point(300, 100), geometry.point(30, 100))
    #expect(abs(left.x - (geometry.center.x - 100)) < 1e-9 && abs(left.y - geometry.center.y) < 1e-9)
    #expect(abs(bottom.x - geometry.center.x) < 1e-9 && abs(bottom.y - (geometry.center.y + 100)) < 1e-9)
  }

  @Test func `planets that stand close are moved apart, keep their order and stay near`() {
    var generator = SeededGenerator.announced()
    for _ in 0..<200 {
      let width = Double.random(in: 1...359, using: &generator)
      let angles = (0..<10).map { _ in Double.random(in: 0..<width, using: &generator) }.sorted()
      let places = ChartWheel.spread(angles, room: 9.5)
      for index in places.indices {
        let next = (index + 1) % places.count
        let gap = places[next] - places[index] + (next == 0 ? 360 : 0)
        #expect(gap > 9.4, "\(angles)")
        #expect(abs(places[index] - angles[index]) < 100)
      }
    }
    #expect(ChartWheel.spread([10, 40, 200], room: 9.5) == [10, 40, 200])
  }

  @Test func `an angle is written in whole minutes that are never rounded up`() {
    for (degrees, text) in [
      (0.0, "0°00′"), (29.9999, "29°59′"), (17.1945, "17°11′"), (0.1, "0°06′"), (-4.5, "-4°30′"), (-0.001, "0°00′"),
    ] {
      #expect("\(DegreeText(degrees))" == text)
    }
  }
}
