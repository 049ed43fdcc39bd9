import Foundation
import Testing

@testable import MySubGuard

@Suite struct BillingScheduleTests {
  private func days(_ frequency: BillingFrequency, _ first: String, _ count: Int) throws -> [String] {
    let schedule = BillingSchedule(frequency: frequency, nextDay: try CalendarDay(iso: first))
    return (0..<count).map { schedule.day($0).description }
  }

  @Test func `the last day of January is billed on the last day of February and on 31 March`() throws {
    #expect(
      try days(.monthly, "2026-01-31", 5) == ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"])
    #expect(try days(.monthly, "2028-01-30", 3) == ["2028-01-30", "2028-02-29", "2028-03-30"])
  }

  @Test func `a leap day is billed on 28 February until the next leap year`() throws {
    #expect(
      try days(.yearly, "2024-02-29", 5) == ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"])
  }

  @Test func `weeks and quarters cross the end of the year`() throws {
    #expect(try days(.weekly, "2026-12-24", 3) == ["2026-12-24", "2026-12-31", "2027-01-07"])
    #expect(try days(.quarterly, "2026-11-30", 3) == ["2026-11-30", "2027-02-28", "2027-05-30"])
  }

  @Test func `four weeks, two months and half a year keep the day that was agreed`() throws {
    #expect(try days(.fourWeekly, "2024-02-01", 3) == ["2024-02-01", "2024-02-29", "2024-03-28"])
    #expect(try days(.twoMonthly, "2025-12-31", 3) == ["2025-12-31", "2026-02-28", "2026-04-30"])
    #expect(try days(.halfYearly, "2027-08-31", 3) == ["2027-08-31", "2028-02-29", "2028-08-31"])
  }

  @Test func `advancing in any steps gives the same days as advancing at once`() throws {
    for frequency in BillingFrequency.allCases {
      for day in 28...31 {
        let start = BillingSchedule(
          frequency: frequency, nextDay: try #require(CalendarDay(year: 2023, month: 12, day: day)))
        var stepped = start
        for offset in stride(from: 0, through: 2_000, by: 9) {
          let today = start.nextDay.adding(days: offset)
          stepped = stepped.advanced(to: today)
          #expect(stepped == start.advanced(to: today))
          #expect(stepped.nextDay >= today)
          if !frequency.step.isDays { #expect(stepped.billingDay == day) }
        }
      }
    }
  }

  @Test func `the first charge on or after a day is found wherever the day is`() throws {
    for frequency in BillingFrequency.allCases {
      let schedule = BillingSchedule(frequency: frequency, nextDay: try CalendarDay(iso: "2024-01-31"))
      let all = (0..<400).map { schedule.day($0) }
      for offset in -40...900 {
        let day = schedule.nextDay.adding(days: offset)
        #expect(schedule.firstDay(onOrAfter: day) == all.first { $0 >= day })
      }
    }
  }

  @Test func `a billing day that contradicts the date gives way to the date`() throws {
    let day = try CalendarDay(iso: "2026-02-28")
    #expect(BillingSchedule(frequency: .monthly, nextDay: day, billingDay: 31).billingDay == 31)
    #expect(BillingSchedule(frequency: .monthly, nextDay: day, billingDay: 15).billingDay == 28)
    #expect(BillingSchedule(frequency: .monthly, nextDay: day, billingDay: 99).billingDay == 28)
  }

  @Test func `a schedule ends with the calendar`() throws {
    let schedule = BillingSchedule(frequency: .monthly, nextDay: try CalendarDay(iso: "2999-11-30"))
    #expect(
      schedule.days(from: schedule.nextDay, through: .last).map(\.description) == [
        "2999-11-30", "2999-12-30", "2999-12-31",
      ])
  }
}
