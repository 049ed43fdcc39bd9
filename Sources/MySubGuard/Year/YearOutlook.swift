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
    var counts: [Currency: Int] = [:]
    for subscription in subscriptions {
      for day in subscription.standing.days(of: subscription.schedule, from: start, through: end) {
        let price = subscription.price(on: day)
        let index = (day.year - start.year) * 12 + day.month - start.month
        guard months.indices.contains(index) else { continue }
        months[index].count += 1
        months[index].sums[price.currency, default: [:]][subscription.category, default: 0] += price.amount
        counts[price.currency, default: 0] += 1
      }
    }
    currencies = counts.keys.sorted { (-counts[$0, default: 0], $0) < (-counts[$1, default: 0], $1) }
  }

  /// The sum of a currency over the year.
  public func sum(_ currency: Currency) -> Money {
    Money(months.reduce(0) { $0 + $1.sum(currency) }, currency)
  }
}
