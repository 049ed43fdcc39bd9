public import Foundation

/// What subscriptions cost, per category and together.
///
/// Years are exact sums; a month is a twelfth, divided once at the end.
public struct SubscriptionTotals: Hashable, Sendable {
  public struct Sum: Hashable, Sendable {
    public private(set) var count = 0
    /// Exact.
    public private(set) var annual: Decimal = 0
    /// A twelfth of ``annual``, to 38 digits.
    public var monthly: Decimal { annual / 12 }

    mutating func add(_ subscription: SubscriptionDetails) {
      count += 1
      annual += subscription.annualAmount
    }
  }

  public private(set) var byCategory: [SubscriptionCategory: Sum]
  public private(set) var all = Sum()

  public init(of subscriptions: [SubscriptionDetails]) {
    byCategory = Dictionary(uniqueKeysWithValues: SubscriptionCategory.allCases.map { ($0, Sum()) })
    for subscription in subscriptions {
      byCategory[subscription.category, default: Sum()].add(subscription)
      all.add(subscription)
    }
  }

  public subscript(category: SubscriptionCategory) -> Sum { byCategory[category] ?? Sum() }
}
