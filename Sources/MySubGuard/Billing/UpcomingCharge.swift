import Foundation

/// One charge that will come: what, how much, when.
public struct UpcomingCharge: Hashable, Sendable {
  /// The subscription that is charged.
  public let subscription: SubscriptionDetails
  /// The day of the charge.
  public let day: CalendarDay

  /// The price of its day.
  public var price: Money { subscription.price(on: day) }

  /// Creates a charge from its parts.
  public init(subscription: SubscriptionDetails, day: CalendarDay) {
    self.subscription = subscription
    self.day = day
  }

  /// All charges between two days, both included: earliest first, those of one day in the order
  /// of the subscriptions.
  public static func all(
    of subscriptions: [SubscriptionDetails], from start: CalendarDay, through end: CalendarDay
  ) -> [UpcomingCharge] {
    let charges = subscriptions.flatMap { subscription in
      subscription.charges(from: start, through: end).map {
        UpcomingCharge(subscription: subscription, day: $0)
      }
    }
    return charges.sorted { $0.day < $1.day }
  }

  /// The next `limit` charges on `start` or later, a subscription as often as it is charged.
  public static func next(
    _ limit: Int, of subscriptions: [SubscriptionDetails], from start: CalendarDay
  ) -> [UpcomingCharge] {
    guard limit > 0 else { return [] }
    // Each subscription's first charge bounds the window that has to be filled.
    let firstDays = subscriptions.compactMap { $0.firstCharge(onOrAfter: start) }.sorted()
    guard let lastFirstDay = firstDays.last else { return [] }
    if firstDays.count >= limit {
      return Array(all(of: subscriptions, from: start, through: firstDays[limit - 1]).prefix(limit))
    }
    return Array(filled(limit, of: subscriptions, from: start, through: lastFirstDay).prefix(limit))
  }

  /// Widens the window until it holds enough charges, or the calendar ends.
  private static func filled(
    _ limit: Int, of subscriptions: [SubscriptionDetails], from start: CalendarDay, through firstEnd: CalendarDay
  ) -> [UpcomingCharge] {
    var end = firstEnd
    while true {
      let charges = all(of: subscriptions, from: start, through: end)
      if charges.count >= limit || end == CalendarDay.last { return charges }
      end = end.adding(days: max(366, 2 * end.days(since: start)))
    }
  }
}
