public import Foundation

/// The costs of subscriptions on a day, by currency and category. Currencies are never added.
///
/// Counted are those that are charged: what is on trial, paused or ended costs nothing then.
/// Years are exact sums; a month is a twelfth, divided once at the end.
public struct SubscriptionTotals: Hashable, Sendable {
  /// The sum of some subscriptions of one currency.
  public struct Sum: Hashable, Sendable {
    /// The currency of the sum.
    public let currency: Currency
    /// The number of subscriptions.
    public fileprivate(set) var count = 0
    fileprivate var year = AmountSum()
    /// Exact.
    public var annual: Decimal { year.decimal }
    /// A twelfth of ``annual``, to 38 digits.
    public var monthly: Decimal { annual / 12 }
    /// A year as money.
    public var perYear: Money { Money(annual, currency) }
    /// A month as money.
    public var perMonth: Money { Money(monthly, currency) }

    init(_ currency: Currency) { self.currency = currency }
  }

  private var sums: [Currency: [SubscriptionCategory: Sum]] = [:]
  /// The currencies that something is charged in: the one with the most subscriptions first, then by code.
  public private(set) var currencies: [Currency] = []
  /// The number of subscriptions that are charged.
  public private(set) var count = 0
  /// The number of subscriptions that cost nothing on the day.
  public private(set) var restingCount = 0

  /// Adds subscriptions up, at the prices of a day.
  public init(of subscriptions: [SubscriptionDetails], on day: CalendarDay) {
    for subscription in subscriptions {
      guard subscription.state(on: day).isCharged else {
        restingCount += 1
        continue
      }
      let price = subscription.price(on: day)
      count += 1
      var sum = sums[price.currency]?[subscription.category] ?? Sum(price.currency)
      sum.count += 1
      sum.year.add(price.amount, times: subscription.schedule.frequency.chargesPerYear)
      sums[price.currency, default: [:]][subscription.category] = sum
    }
    let counts = sums.mapValues { $0.values.reduce(0) { $0 + $1.count } }
    currencies = counts.keys.sorted { (-counts[$0, default: 0], $0) < (-counts[$1, default: 0], $1) }
  }

  /// The currency that most subscriptions are in; the euro where there are none.
  public var mainCurrency: Currency { currencies.first ?? .euro }

  /// The sum of a currency.
  public subscript(currency: Currency) -> Sum {
    SubscriptionCategory.allCases.reduce(into: Sum(currency)) { sum, category in
      let part = self[currency, category]
      sum.count += part.count
      sum.year.add(part.year)
    }
  }

  /// The sum of a category in a currency.
  public subscript(currency: Currency, category: SubscriptionCategory) -> Sum {
    sums[currency]?[category] ?? Sum(currency)
  }
}
