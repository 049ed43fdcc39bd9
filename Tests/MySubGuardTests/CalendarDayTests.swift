import Foundation
import Testing

@testable import MySubGuard

@Suite struct CalendarDayTests {
  @Test func `every day from 1900 to 2999 counts one more than the day before and comes back`() {
    var day = CalendarDay.first
    while day < CalendarDay.last {
      let next = day.adding(days: 1)
      #expect(next.dayNumber == day.dayNumber + 1)
      #expect(next > day)
      #expect(CalendarDay(year: next.year, month: next.month, day: next.day) == next)
      day = next
    }
    #expect(day == CalendarDay.last)
  }

  @Test func `day numbers agree with Foundation's calendar`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for text in ["1970-01-01", "2000-02-29", "1999-12-31", "2100-03-01", "2024-02-29", "2999-12-31"] {
      let day = try CalendarDay(iso: text)
      let parts = calendar.dateComponents([.year, .month, .day], from: day.date)
      #expect([parts.year, parts.month, parts.day] == [day.year, day.month, day.day])
      #expect(CalendarDay(day.date) == day)
      #expect(CalendarDay(day.date.addingTimeInterval(86_399)) == day)
      #expect(day.description == text)
    }
  }

  @Test(arguments: [
    "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "26-01-31", "2026-1-31", "2026/01/31", "1899-12-31",
    "3000-01-01", "2026-01-31 ", "", "٢٠٢٦-٠١-٣١", "2026-01-3a",
  ])
  func `text that is not a day of the calendar is refused`(text: String) {
    #expect(#expect(throws: SubscriptionError.self) { try CalendarDay(iso: text) }?.code == .invalidValue)
  }

  @Test func `dates outside the calendar become its nearest day`() {
    #expect(CalendarDay(.distantPast) == CalendarDay.first)
    #expect(CalendarDay(.distantFuture) == CalendarDay.last)
    #expect(CalendarDay.last.adding(days: .max) == CalendarDay.last)
    #expect(CalendarDay.first.adding(days: .min) == CalendarDay.first)
  }
}
