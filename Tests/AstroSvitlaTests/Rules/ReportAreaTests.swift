import AstroSvitla
import Foundation
import Testing

@Suite struct ReportAreaTests {
  @Test func `four areas are sold, old ones are only shown, under the names of today`() {
    #expect(ReportArea.sold.map(\.rawValue) == ["personality", "career", "relationship", "wellness"])
    #expect(ReportArea.relationships.displayed == .relationship)
    #expect(ReportArea.health.displayed == .wellness)
    #expect(ReportArea.general.displayed == .personality)
    #expect(ReportArea.finances.displayed == .finances)
    for area in ReportArea.known {
      #expect(area.name(in: .english) != area.name(in: .ukrainian))
      #expect(area.isSold == (try? ReportArea.checkedForSale(area.rawValue)).map { $0 == area } ?? false)
    }
    #expect(ReportArea.health.rawValue == "health")
  }

  @Test func `a value that nobody knows is kept as it is`() throws {
    let area = try JSONDecoder().decode(ReportArea.self, from: Data(#""money2031""#.utf8))
    #expect(String(decoding: try JSONEncoder().encode(area), as: UTF8.self) == #""money2031""#)
    #expect(area.name(in: .ukrainian) == "money2031")
    let error = #expect(throws: AstroSvitlaError.self) { try ReportArea.checkedForSale("money2031") }
    #expect(error?.code == .areaNotSold)
  }

  @Test func `words are counted between spaces, and whole minutes of reading count, at least one`() throws {
    let text = try ReportText("One — two,\nthree: 4", language: .english)
    #expect(text.wordCount == 4)
    #expect(text.readingMinutes == 1)
    for (words, minutes) in [(199, 1), (200, 1), (399, 1), (400, 2), (599, 2), (600, 3)] {
      let long = try ReportText(Array(repeating: "слово", count: words).joined(separator: " "), language: .ukrainian)
      #expect(long.readingMinutes == minutes)
    }
    let refusal = #expect(throws: AstroSvitlaError.self) { try ReportText(" — \n ", language: .english) }
    #expect(refusal?.code == .generationFailed)
  }

  @Test func `a report follows from the chart alone, speaks of its planets, and has no gap in either language`()
    async throws
  {
    let (one, other) = (try Fixtures.chart(), try Fixtures.chart(shift: 47))
    for language in AppLanguage.allCases {
      for area in ReportArea.sold {
        let text = try await NatalReportWriter().write(area, for: one, in: language)
        #expect(try await NatalReportWriter().write(area, for: one, in: language) == text)
        #expect(try await NatalReportWriter().write(area, for: other, in: language) != text)
        #expect(try ReportText(text, language: language).wordCount > 80)
        for gap in ["  ", " .", " ,", ": .", "()", "nil"] { #expect(!text.contains(gap), "\(gap) in \(text)") }
        #expect(text.split(separator: "\n").allSatisfy { !$0.isEmpty })
        let isCyrillic = text.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) }
        #expect(isCyrillic == (language == .ukrainian))
      }
    }
    let refusal = await #expect(throws: AstroSvitlaError.self) {
      try await NatalReportWriter().write(.finances, for: one, in: .english)
    }
    #expect(refusal?.code == .areaNotSold)
  }
}
