import Foundation
import Synchronization

/// Answers of Foundation about one locale, kept: a list has thousands of amounts and days, and few patterns among them.
final class FormatCache: Sendable {
  private struct DateKey: Hashable {
    var date: Date
    var style: DateStyle
  }

  private let locale: Locale
  private let dates = Mutex<[DateKey: String]>([:])
  private let patterns = Mutex<[String: MoneyPattern]>([:])

  init(_ locale: Locale) { self.locale = locale }

  func text(_ date: Date, _ style: DateStyle) -> String {
    let key = DateKey(date: date, style: style)
    return dates.withLock { known in
      if let text = known[key] { return text }
      let text = date.formatted(style.format(locale))
      known[key] = text
      return text
    }
  }

  func pattern(of currencyCode: String) -> MoneyPattern {
    patterns.withLock { known in
      if let pattern = known[currencyCode] { return pattern }
      let pattern = MoneyPattern(currencyCode, locale: locale)
      known[currencyCode] = pattern
      return pattern
    }
  }
}
