import AstroSvitla
import Foundation
import Testing

@Suite struct BirthTests {
  @Test func `days from 1900 to 2100 that the calendar has are births, and no others`() throws {
    for text in ["1900-01-01", "2100-12-31", "2000-02-29", "1996-02-29", "1991-08-24"] {
      let day = try BirthDay(iso: text)
      #expect(day.description == text)
      #expect(try BirthDay(day.date) == day)
    }
    for text in [
      "1899-12-31", "2101-01-01", "1900-02-29", "2100-02-29", "2001-02-29", "2000-04-31", "2000-13-01", "2000-00-10",
      "2000-1-01", "20000101", "2000-01-01 ", "+200-01-01", "２０００-01-01", "",
    ] {
      #expect(#expect(throws: AstroSvitlaError.self) { try BirthDay(iso: text) }?.code == .invalidValue, "\(text)")
    }
  }

  @Test func `times go from 00:00 to 23:59`() throws {
    #expect(try BirthTime(iso: "00:00").minuteOfDay == 0)
    #expect(try BirthTime(iso: "23:59").minuteOfDay == 1439)
    for text in ["24:00", "12:60", "7:45", "07:45:00", "0745", "-1:00", ""] {
      #expect(#expect(throws: AstroSvitlaError.self) { try BirthTime(iso: text) }?.code == .invalidValue, "\(text)")
    }
    #expect(#expect(throws: AstroSvitlaError.self) { try BirthTime(minuteOfDay: 1440) }?.code == .invalidValue)
    #expect(#expect(throws: AstroSvitlaError.self) { try BirthTime(minuteOfDay: -1) }?.code == .invalidValue)
  }

  @Test func `places have degrees within the earth and a time zone of the database`() throws {
    #expect(throws: Never.self) { try BirthPlace(latitude: -90, longitude: 180, timeZoneName: "UTC") }
    for (latitude, longitude) in [(90.01, 0.0), (0, -180.5), (.nan, 0)] {
      let refusal = #expect(throws: AstroSvitlaError.self) {
        try BirthPlace(latitude: latitude, longitude: longitude, timeZoneName: "UTC")
      }
      #expect(refusal?.code == .invalidValue, "\(latitude), \(longitude)")
    }
    for zone in ["Europe/Nowhere", "EET", "", "+02:00"] {
      let refusal = #expect(throws: AstroSvitlaError.self) {
        try BirthPlace(latitude: 0, longitude: 0, timeZoneName: zone)
      }
      #expect(refusal?.code == .invalidValue, "\(zone)")
    }
  }

  @Test func `a birth's moment follows the clocks of its place and year`() throws {
    let kyiv = try BirthPlace(latitude: 50.45, longitude: 30.52, timeZoneName: "Europe/Kyiv")
    let morning = try BirthTime(iso: "12:00")
    let winter = kyiv.moment(of: try BirthDay(iso: "2020-01-15"), at: morning)
    let summer = kyiv.moment(of: try BirthDay(iso: "2020-07-15"), at: morning)
    #expect(winter == Date(timeIntervalSince1970: 1_579_082_400))
    #expect(summer == Date(timeIntervalSince1970: 1_594_803_600))
    // Clocks went from 03:00 to 04:00 that night; the skipped half hour is a moment all the same.
    let skipped = kyiv.moment(of: try BirthDay(iso: "2020-03-29"), at: try BirthTime(iso: "03:30"))
    #expect(skipped == Date(timeIntervalSince1970: 1_585_445_400))
  }

  @Test func `hours that clocks skipped or repeated, and days that a place left out, are told apart`() throws {
    func reading(_ zone: String, _ day: String, _ time: String) throws -> ClockReading {
      try BirthPlace(latitude: 0, longitude: 0, timeZoneName: zone)
        .clockReading(of: BirthDay(iso: day), at: BirthTime(iso: time))
    }
    func utc(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
    #expect(try reading("Europe/Kyiv", "2020-03-29", "02:59") == .once(utc("2020-03-29T00:59:00Z")))
    #expect(try reading("Europe/Kyiv", "2020-03-29", "03:00") == .skipped(utc("2020-03-29T01:00:00Z")))
    #expect(try reading("Europe/Kyiv", "2020-03-29", "04:00") == .once(utc("2020-03-29T01:00:00Z")))
    #expect(try reading("Europe/Kyiv", "2020-10-25", "02:59") == .once(utc("2020-10-24T23:59:00Z")))
    let twice = try reading("Europe/Kyiv", "2020-10-25", "03:00")
    #expect(try twice == .twice(first: utc("2020-10-25T00:00:00Z"), second: utc("2020-10-25T01:00:00Z")))
    #expect(try twice.moment == utc("2020-10-25T00:00:00Z"))
    #expect(try reading("Europe/Kyiv", "2020-10-25", "04:00") == .once(utc("2020-10-25T02:00:00Z")))
    #expect(try reading("Pacific/Apia", "2011-12-30", "12:00") == .skipped(utc("2011-12-30T22:00:00Z")))
    #expect(try reading("Pacific/Apia", "2011-12-31", "12:00") == .once(utc("2011-12-30T22:00:00Z")))
  }

  @Test func `names have one to fifty characters on one line`() throws {
    #expect(try PersonName.checked("  Олена  ") == "Олена")
    #expect(try PersonName.checked(String(repeating: "я", count: 50)).count == 50)
    #expect(try PersonName.checked("👩‍👧‍👦").count == 1)
    for name in ["", "   ", String(repeating: "a", count: 51), "two\nlines", "bell\u{7}"] {
      #expect(#expect(throws: AstroSvitlaError.self) { try PersonName.checked(name) }?.code == .invalidValue)
    }
  }
}
