import Foundation

/// The forms in which a day is written.
package enum DateStyle: Hashable, Sendable {
  /// Such as `Jan 31, 2026`, `31 janv. 2026`, `31 січ. 2026 р.`.
  case day
  /// Such as `January 31, 2026`, `31 січня 2026 р.`.
  case long
  /// A day and month, for lists in which the year is clear.
  case short
  /// A month by name, and the year.
  case month
  /// A month in few letters.
  case shortMonth
  /// A day with hours and minutes.
  case moment

  func format(_ locale: Locale) -> Date.FormatStyle {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let plain = Date.FormatStyle(locale: locale, calendar: calendar, timeZone: .gmt)
    func style(_ date: Date.FormatStyle.DateStyle, _ time: Date.FormatStyle.TimeStyle = .omitted) -> Date.FormatStyle {
      Date.FormatStyle(date: date, time: time, locale: locale, calendar: calendar, timeZone: .gmt)
    }
    return switch self {
    case .day: style(.abbreviated)
    case .long: style(.long)
    case .moment: style(.abbreviated, .shortened)
    case .short: plain.day().month(.abbreviated)
    case .month: plain.month(.wide).year()
    case .shortMonth: plain.month(.abbreviated)
    }
  }
}
