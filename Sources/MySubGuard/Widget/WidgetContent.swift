/// The contents of a widget: the next charges, and the costs of all subscriptions. A plain value: equal contents look
/// alike.
public struct WidgetContent: Hashable, Sendable {
  /// The day for which the widget is made.
  public let today: CalendarDay
  /// Earliest first.
  public let charges: [UpcomingCharge]
  /// The sums of all subscriptions.
  public let totals: SubscriptionTotals

  /// - Parameter limit: How many charges are prepared; a picture may have room for fewer.
  public init(of subscriptions: [SubscriptionDetails], today: CalendarDay, limit: Int = 5) {
    self.today = today
    charges = UpcomingCharge.next(limit, of: subscriptions, from: today)
    totals = SubscriptionTotals(of: subscriptions)
  }

  /// A headline and one line a charge, in columns, for a terminal.
  public var text: String {
    let count = totals.all.count
    let plural = count == 1 ? "subscription" : "subscriptions"
    let headline = "MySubGuard · \(count) \(plural) · \(Amount.display(totals.all.monthly)) per month"
    let rows = charges.map { charge in
      [
        charge.day.distance(from: today), charge.day.short, charge.subscription.name,
        Amount.display(charge.subscription.amount), charge.subscription.category.displayName,
      ]
    }
    return ([headline] + TextTable(rows: rows, rightAligned: [1, 3]).lines.map { "  " + $0 }).joined(separator: "\n")
  }
}
