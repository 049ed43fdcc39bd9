/// The contents of a widget: the next charges, and the costs of all subscriptions. A plain value: equal contents look
/// alike.
public struct WidgetContent: Hashable, Sendable {
  /// The day for which the widget is made.
  public let today: CalendarDay
  /// Earliest first.
  public let charges: [UpcomingCharge]
  /// The sums of all subscriptions.
  public let totals: SubscriptionTotals
  /// The language of the texts.
  public let locale: AppLocale

  /// - Parameters:
  ///   - subscriptions: All subscriptions of the person.
  ///   - today: The day for which the widget is made.
  ///   - limit: How many charges are prepared; a picture may have room for fewer.
  ///   - locale: The language of the texts.
  public init(
    of subscriptions: [SubscriptionDetails], today: CalendarDay, limit: Int = 5, locale: AppLocale = .current
  ) {
    self.today = today
    self.locale = locale
    charges = UpcomingCharge.next(limit, of: subscriptions, from: today)
    totals = SubscriptionTotals(of: subscriptions, on: today)
  }

  /// A month's sum of each currency, the chief one first: `€40.57` and `€40.57 + $12.00`.
  var monthlySums: [String] {
    let currencies = totals.currencies.isEmpty ? [totals.mainCurrency] : totals.currencies
    return currencies.map { locale.text(totals[$0].perMonth) }
  }

  /// A headline and one line a charge, in columns, for a terminal.
  public var text: String {
    let count = locale.count(totals.count, .subscriptions)
    let headline = locale.text(.widgetHeadline, count, monthlySums.joined(separator: " + "))
    let rows = charges.map { charge in
      [
        locale.distance(of: charge.day, from: today), locale.short(charge.day), charge.subscription.name,
        locale.text(charge.price), charge.subscription.category.name(in: locale),
      ]
    }
    return ([headline] + TextTable(rows: rows, rightAligned: [1, 3]).lines.map { "  " + $0 }).joined(separator: "\n")
  }
}
