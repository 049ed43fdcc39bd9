public import Foundation

/// The costs of subscriptions, per category and together.
///
/// Years are exact sums; a month is a twelfth, divided once at the end.
public struct SubscriptionTotals: Hashable, Sendable {
  /// The sum of some subscriptions.
  public struct Sum: Hashable, Sendable {
    /// The number of subscriptions.
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

  /// The sums by category, each of them there.
  public private(set) var byCategory: [SubscriptionCategory: Sum]
  /// The sum of all subscriptions.
  public private(set) var all = Sum()

  /// Adds subscriptions up.
  public init(of subscriptions: [SubscriptionDetails]) {
    byCategory = Dictionary(uniqueKeysWithValues: SubscriptionCategory.allCases.map { ($0, Sum()) })
    for subscription in subscriptions {
      byCategory[subscription.category, default: Sum()].add(subscription)
      all.add(subscription)
    }
  }

  /// The sum of a category.
  public subscript(category: SubscriptionCategory) -> Sum { byCategory[category] ?? Sum() }
}
