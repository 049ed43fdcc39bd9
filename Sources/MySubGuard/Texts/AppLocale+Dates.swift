import Foundation

/// Days in the words of the language.
extension AppLocale {
  /// Such as `Jan 31, 2026` and `31 janv. 2026`.
  public func text(_ day: CalendarDay) -> String { formats.text(day, .day) }

  /// Such as `Jan 31` and `31 janv.`, for lists in which the year is clear.
  public func short(_ day: CalendarDay) -> String { formats.text(day, .short) }

  /// Such as `January 2026` and `janvier 2026`.
  public func month(of day: CalendarDay) -> String { formats.text(day, .month) }

  /// Such as `Jan` and `janv.`.
  func shortMonth(of day: CalendarDay) -> String { formats.text(day, .shortMonth) }

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

/// The forms in which a day is written.
enum DayStyle: Hashable, Sendable {
  case day, short, month, shortMonth

  func format(_ locale: Locale) -> Date.FormatStyle {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let plain = Date.FormatStyle(locale: locale, calendar: calendar, timeZone: .gmt)
    return switch self {
    case .day: Date.FormatStyle(date: .abbreviated, time: .omitted, locale: locale, calendar: calendar, timeZone: .gmt)
    case .short: plain.day().month(.abbreviated)
    case .month: plain.month(.wide).year()
    case .shortMonth: plain.month(.abbreviated)
    }
  }
}
