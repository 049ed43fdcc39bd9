import LocalizedTexts

/// Days in the words of the language.
extension AppLocale {
  /// Such as `Jan 31, 2026` and `31 janv. 2026`.
  public func text(_ day: CalendarDay) -> String { texts.text(day.date, .day) }

  /// Such as `Jan 31` and `31 janv.`, for lists in which the year is clear.
  public func short(_ day: CalendarDay) -> String { texts.text(day.date, .short) }

  /// Such as `January 2026` and `janvier 2026`.
  public func month(of day: CalendarDay) -> String { texts.text(day.date, .month) }

  /// Such as `Jan` and `janv.`.
  func shortMonth(of day: CalendarDay) -> String { texts.text(day.date, .shortMonth) }

  /// Such as `today`, `tomorrow`, `in 12 days`, seen from `today`.
  public func distance(of day: CalendarDay, from today: CalendarDay) -> String {
    switch day.days(since: today) {
    case 0: text(.today)
    case 1: text(.tomorrow)
    case -1: text(.yesterday)
    case let days where days < 0: text(.daysAgo, "\(-days)")
    case let days: text(.inDays, "\(days)")
    }
  }
}
