package import Foundation
import LocalizedTexts

/// How ids, days of the month and times are written in lists.
extension SubscriptionList {
  package static func identifier(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
      throw SubscriptionError(.invalidValue, Sentence(.notAnID, .text(text)))
    }
    return id
  }

  static func billingDay(_ text: String) throws -> Int {
    guard let day = Int(text), (1...31).contains(day) else {
      throw SubscriptionError(.invalidValue, Sentence(.notABillingDay, .text(text)))
    }
    return day
  }

  /// `2026-01-31` or `2026-01-31T08:30:00Z`.
  static func timestamp(_ text: String) throws -> Date {
    if text.utf8.count == 10 { return try CalendarDay(iso: text).date }
    do {
      return try Date(text, strategy: .iso8601)
    } catch {
      throw SubscriptionError(.invalidValue, Sentence(.notATime, .text(text)))
    }
  }

  static func text(of date: Date) -> String { date.formatted(.iso8601) }
}
