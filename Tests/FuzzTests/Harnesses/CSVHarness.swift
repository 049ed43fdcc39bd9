import Foundation

@testable import MySubGuard

extension Harness {
  /// A list of subscriptions as CSV, and the same list as JSON.
  static let csv = Harness("csv", errors: [SubscriptionError.self]) { bytes in
    let date = Date(timeIntervalSince1970: 1_800_000_000)
    let list = try SubscriptionList(csv: SubscriptionList.text(of: Data(bytes)), importedAt: date)
    let json = try SubscriptionList.json(list.subscriptions)
    let again = try SubscriptionList(json: json, importedAt: date)
    try promise(try SubscriptionList.json(again.subscriptions) == json, "a list that was read again is another")
    for subscription in list.subscriptions {
      let schedule = subscription.schedule
      let today = CalendarDay(date)
      try promise(schedule.firstDay(onOrAfter: today) >= min(today, schedule.nextDay), "a charge lies in the past")
    }
  }
}
