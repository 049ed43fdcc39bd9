import Foundation
import Synchronization

/// Answers of Foundation about locales, kept: a list has thousands of amounts and days, and few patterns among them.
final class FormatCache: Sendable {
  static let shared = FormatCache()

  private struct DayKey: Hashable {
    var day: CalendarDay
    var style: DayStyle
    var locale: String
  }

  private struct MoneyKey: Hashable {
    var currency: Currency
    var locale: String
  }

  private let days = Mutex<[DayKey: String]>([:])
  private let patterns = Mutex<[MoneyKey: MoneyPattern]>([:])

  func text(_ day: CalendarDay, _ style: DayStyle, locale: Locale) -> String {
    let key = DayKey(day: day, style: style, locale: locale.identifier)
    return days.withLock { known in
      if let text = known[key] { return text }
      let text = day.date.formatted(style.format(locale))
      known[key] = text
      return text
    }
  }

  func pattern(of currency: Currency, locale: Locale) -> MoneyPattern {
    let key = MoneyKey(currency: currency, locale: locale.identifier)
    return patterns.withLock { known in
      if let pattern = known[key] { return pattern }
      let pattern = MoneyPattern(currency, locale: locale)
      known[key] = pattern
      return pattern
    }
  }
}
