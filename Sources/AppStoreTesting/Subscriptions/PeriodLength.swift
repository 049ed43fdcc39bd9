import AppStorePurchases
import Foundation

/// How long the periods of subscriptions last: as in the calendar, or at a rate that fits into a test.
struct PeriodLength: Sendable {
  /// Nil: as in the Gregorian calendar, in UTC.
  let millisecondsPerMonth: Int?

  /// The first end of a period after `date`, for periods counted from `anchor`: a subscription of 31 January is charged
  /// on 28 February and on 31 March.
  func end(after date: Date, of period: Product.SubscriptionPeriod, from anchor: Date) -> Date {
    var count = 1
    while true {
      let end = self.end(of: period, count: count, from: anchor)
      if end > date { return end }
      count += 1
    }
  }

  /// The end of `count` periods that follow each other from `start`.
  func end(of period: Product.SubscriptionPeriod, count: Int, from start: Date) -> Date {
    guard let millisecondsPerMonth else { return calendarEnd(of: period, count: count, from: start) }
    let milliseconds =
      switch period.unit {
      case .day: millisecondsPerMonth * period.value * count / 30
      case .week: millisecondsPerMonth * 7 * period.value * count / 30
      case .month: millisecondsPerMonth * period.value * count
      case .year: millisecondsPerMonth * 12 * period.value * count
      }
    // A period that is too short to count in milliseconds would never end.
    return Date(milliseconds: start.milliseconds + Int64(max(milliseconds, count)))
  }

  func end(ofDays days: Int, from start: Date) -> Date {
    guard days > 0 else { return start }
    return end(of: Product.SubscriptionPeriod(unit: .day, value: days), count: 1, from: start)
  }

  private func calendarEnd(of period: Product.SubscriptionPeriod, count: Int, from start: Date) -> Date {
    let component: Calendar.Component =
      switch period.unit {
      case .day, .week: .day
      case .month: .month
      case .year: .year
      }
    let days = period.unit == .week ? 7 : 1
    guard let end = Self.calendar.date(byAdding: component, value: period.value * days * count, to: start) else {
      preconditionFailure("the Gregorian calendar adds days, months and years to every date")
    }
    return end
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
