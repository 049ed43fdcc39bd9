import Foundation
import Synchronization

/// Answers of Foundation about one locale, kept: a list has thousands of amounts and days, and few patterns among them.
final class FormatCache: Sendable {
  private struct DayKey: Hashable {
    var day: CalendarDay
    var style: DayStyle
  }

  private let locale: Locale
  private let days = Mutex<[DayKey: String]>([:])
  private let patterns = Mutex<[Currency: MoneyPattern]>([:])

  init(_ locale: Locale) { self.locale = locale }

  func text(_ day: CalendarDay, _ style: DayStyle) -> String {
    let key = DayKey(day: day, style: style)
    return days.withLock { known in
      if let text = known[key] { return text }
      let text = day.date.formatted(style.format(locale))
      known[key] = text
      return text
    }
  }

  func pattern(of currency: Currency) -> MoneyPattern {
    patterns.withLock { known in
      if let pattern = known[currency] { return pattern }
      let pattern = MoneyPattern(currency, locale: locale)
      known[currency] = pattern
      return pattern
    }
  }
}
