public import Foundation

/// The charges of twelve months by month, currency and category, at the prices of their days.
public struct YearOutlook: Hashable, Sendable {
  /// One month.
  public struct Month: Hashable, Sendable {
    /// Its first day.
    public let first: CalendarDay
    /// The number of charges.
    public fileprivate(set) var count = 0
    fileprivate var sums: [Currency: [SubscriptionCategory: Decimal]] = [:]

    /// The sum of a category in a currency.
    public func sum(_ currency: Currency, _ category: SubscriptionCategory) -> Decimal {
      sums[currency]?[category] ?? 0
    }

    /// The sum of a currency.
    public func sum(_ currency: Currency) -> Decimal {
      SubscriptionCategory.allCases.reduce(0) { $0 + sum(currency, $1) }
    }
  }

  /// Twelve, from that of the first day on.
  public private(set) var months: [Month]
  /// The currencies of the charges: the one with the most charges first, then by code.
  public let currencies: [Currency]

  /// Adds up the charges from the month of a day on, those that are paid already, too. What came before a
  /// subscription's noted day is not known.
  public init(of subscriptions: [SubscriptionDetails], from day: CalendarDay) {
    let start = day.adding(days: 1 - day.day)
    months = (0..<12).map { Month(first: start.adding(months: $0, on: 1)) }
    let end = start.adding(months: 12, on: 1).adding(days: -1)
    var rows: [Row: [AmountSum]] = [:]
    var counts: [Currency: Int] = [:]
    for subscription in subscriptions {
      let days = subscription.standing.days(of: subscription.schedule, from: start, through: end)
      for day in days { months[Self.index(of: day, from: start)].count += 1 }
      // One look-up for all charges, unless the currency changes meanwhile.
      for (currency, charges) in Self.byCurrency(days, of: subscription) {
        counts[currency, default: 0] += charges.count
        let row = Row(currency: currency, category: subscription.category)
        var sums = rows.removeValue(forKey: row) ?? Self.nothing
        for charge in charges { sums[Self.index(of: charge.day, from: start)].add(charge.amount) }
        rows[row] = sums
      }
    }
    for (row, sums) in rows {
      for index in months.indices {
        months[index].sums[row.currency, default: [:]][row.category] = sums[index].decimal
      }
    }
    currencies = counts.keys.sorted { (-counts[$0, default: 0], $0) < (-counts[$1, default: 0], $1) }
  }

  private struct Row: Hashable {
    var currency: Currency
    var category: SubscriptionCategory
  }

  private typealias Charge = (day: CalendarDay, amount: Decimal)

  private static let nothing = [AmountSum](repeating: AmountSum(), count: 12)

  private static func index(of day: CalendarDay, from start: CalendarDay) -> Int {
    min(11, (day.year - start.year) * 12 + day.month - start.month)
  }

  private static func byCurrency(
    _ days: [CalendarDay], of subscription: SubscriptionDetails
  ) -> [(Currency, [Charge])] {
    let price = subscription.storedPrice
    if subscription.prices.steps.isEmpty { return [(price.currency, days.map { ($0, price.amount) })] }
    let charges = days.map { ($0, subscription.price(on: $0)) }
    return Dictionary(grouping: charges) { $0.1.currency }.map { currency, charges in
      (currency, charges.map { ($0.0, $0.1.amount) })
    }
  }

  /// The sum of a currency over the year.
  public func sum(_ currency: Currency) -> Money {
    Money(months.reduce(0) { $0 + $1.sum(currency) }, currency)
  }
}
