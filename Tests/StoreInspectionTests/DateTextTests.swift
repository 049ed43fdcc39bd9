import Foundation
import StoreInspection
import TestSupport
import Testing

struct DateTextTests {
  @Test(arguments: [
    ("2001-01-01T00:00:00Z", 0.0), ("1970-01-01T00:00:00Z", -978_307_200), ("2024-02-29", 730_857_600),
    ("2026-11-21T08:30:00+01:00", 816_939_000), ("2026-11-21T08:30:00.5Z", 816_942_600.5),
    ("2026-11-21 08:30", 816_942_600), ("0001-01-01T00:00:00Z", -63_113_904_000),
    ("-0001-01-01T00:00:00Z", -63_177_062_400), ("2000-12-31T23:59:59-01:30", 5399),
    ("2001-01-01T00:19:32+00:19:32", 0),
  ])
  func `dates are read in UTC and with an offset`(text: String, seconds: Double) {
    #expect(DateText.parse(text)?.timeIntervalSinceReferenceDate == seconds)
  }

  @Test(arguments: [
    "", "2026", "2026-13-01", "2026-02-29", "2026-00-10", "2026-11-21T", "2026-11-21T24:00:00", "2026-11-21T08:60",
    "2026-11-21T08:30:00X", "2026-11-21T08:30:00+1", "2026-11-21T08:30:00Z ", "26-11-21", "2026-11-31",
    "2026-11-21T08:30:00.", "2026-11-21T08:30:00+01:00:", "2026-11-21T08:30:00+01:00:60",
  ])
  func `what is no date is refused`(text: String) {
    #expect(DateText.parse(text) == nil)
  }

  @Test func `text that is called exact gives back the same bits`() {
    var generator = SeededGenerator.announced()
    var exact = 0
    for _ in 0..<5000 {
      let whole = Double(Int64.random(in: -60_000_000_000...60_000_000_000, using: &generator))
      let date = Date(timeIntervalSinceReferenceDate: whole + generator.pick([0, 0.5, 0.25, 0.001, 1.0 / 3, 0.1]))
      guard let text = DateText.exact(date) else { continue }
      exact += 1
      #expect(
        DateText.parse(text)?.timeIntervalSinceReferenceDate.bitPattern
          == date.timeIntervalSinceReferenceDate.bitPattern, "\(text)")
    }
    // Whole seconds and halves always have one, so the loop above did compare something.
    #expect(exact > 2000)
  }

  @Test func `every date of the calendar has text for its bits`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<20_000 {
      // Of all sizes, and also next to whole seconds, where the decimals of negative ones begin with nines.
      let size = Double.random(in: -40...36, using: &generator)
      let near = [0, 1.0, -978_307_200][Int.random(in: 0..<3, using: &generator)]
      let seconds = generator.pick([-1, 1]) * Double.random(in: 1..<2, using: &generator) * exp2(size) + near
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let text = try #require(DateText.complete(date))
      #expect(text.hasSuffix("Z"), "\(text)")
      #expect(DateText.parse(text)?.timeIntervalSinceReferenceDate.bitPattern == seconds.bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    (1.0 / 3, "2001-01-01T00:00:00.3333333333333333Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
    (0.000_000_1, "2001-01-01T00:00:00.0000001000Z"), (816_942_600.123_456_7, "2026-11-21T08:30:00.1234567000Z"),
  ])
  func `text has as many decimals as the date`(seconds: Double, text: String) {
    #expect(DateText.complete(Date(timeIntervalSinceReferenceDate: seconds)) == text)
  }

  @Test(arguments: [
    ("0001-01-01T00:00:00Z", -62_135_596_800), ("9893-01-01T00:00:00Z", 250_025_788_800.0),
    ("9999-12-31T23:59:59Z", 253_402_300_799),
  ])
  func `every year of four digits has a text`(text: String, seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(DateText.parse(text) == date)
    #expect(DateText.exact(date) == text)
    #expect(DateText.complete(date) == text)
    #expect(DateText.display(date) == text)
  }

  @Test func `dates that no calendar reaches are shown as seconds`() {
    #expect(DateText.exact(Date(timeIntervalSinceReferenceDate: 1e300)) == nil)
    #expect(DateText.exact(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
    for seconds in [1e300, .nan, .infinity, -0.0] {
      #expect(DateText.complete(Date(timeIntervalSinceReferenceDate: seconds)) == nil)
    }
    #expect(DateText.display(Date(timeIntervalSinceReferenceDate: .infinity)) == "inf s")
    #expect(DateText.display(Date(timeIntervalSinceReferenceDate: 0.1234)) == "2001-01-01T00:00:00.123Z")
  }
}
