import Foundation

/// How ids, days of the month and times are written in lists.
extension SubscriptionList {
  static func identifier(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
      throw SubscriptionError(.invalidValue, "“\(text)” is not a UUID")
    }
    return id
  }

  static func billingDay(_ text: String) throws -> Int {
    guard let day = Int(text), (1...31).contains(day) else {
      throw SubscriptionError(.invalidValue, "“\(text)” is not a day of the month from 1 to 31")
    }
    return day
  }

  /// `2026-01-31` or `2026-01-31T08:30:00Z`.
  static func timestamp(_ text: String) throws -> Date {
    if text.utf8.count == 10 { return try CalendarDay(iso: text).date }
    do {
      return try Date(text, strategy: .iso8601)
    } catch {
      throw SubscriptionError(
        .invalidValue, "“\(text)” is not a time: write 2026-01-31 or 2026-01-31T08:30:00Z")
    }
  }

  static func text(of date: Date) -> String { date.formatted(.iso8601) }
}
