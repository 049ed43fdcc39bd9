public import Foundation
public import Tandem

/// One subscription of a person, as it is stored and synchronised: each value merges on its own.
///
/// ``details`` is the same as a checked, plain value; ``apply(_:)`` writes one back.
@Model
public final class Subscription {
  #Index<Subscription>([\.category, \.nextBillingDate])

  /// Equal on every device: two lists that carry it mean the same subscription, and synchronising makes them one.
  @Attribute(.unique) public var id: UUID
  /// The name, as a person gave it.
  public var name: String
  /// Per charge, exact.
  public var amount: Decimal
  /// The time between two charges.
  public var frequency: BillingFrequency
  /// Midnight in UTC of the day, see ``CalendarDay``.
  public var nextBillingDate: Date
  /// The agreed day of the month, 1–31, which months that are shorter do not make forget.
  public var billingDay: Int
  /// The payer.
  public var category: SubscriptionCategory
  /// The time at which it was added on its first device.
  public var createdAt: Date

  /// Creates a subscription from checked values.
  public init(_ details: SubscriptionDetails) {
    id = details.id
    name = details.name
    amount = details.amount
    frequency = details.schedule.frequency
    nextBillingDate = details.schedule.nextDay.date
    billingDay = details.schedule.billingDay
    category = details.category
    createdAt = details.createdAt
  }

  /// The cost of a year: amount × charges, exact.
  public var annualAmount: Decimal { amount * Decimal(frequency.chargesPerYear) }

  /// A twelfth of the year.
  public var monthlyAmount: Decimal { annualAmount / 12 }

  /// A copy of all values, which outlives the context.
  ///
  /// Throws `invalidValue` when another program stored something outside the limits.
  public var details: SubscriptionDetails {
    get throws {
      try SubscriptionDetails(
        id: id, name: name, amount: amount,
        schedule: BillingSchedule(
          frequency: frequency, nextDay: CalendarDay(nextBillingDate), billingDay: billingDay),
        category: category, createdAt: createdAt)
    }
  }

  /// Writes the values that differ, so that a save carries no more than what a person changed. The id and the time
  /// of creation stay.
  ///
  /// Returns whether anything was written.
  @discardableResult
  public func apply(_ details: SubscriptionDetails) -> Bool {
    var isChanged = false
    func write<Value: Equatable>(_ path: ReferenceWritableKeyPath<Subscription, Value>, _ value: Value) {
      guard self[keyPath: path] != value else { return }
      self[keyPath: path] = value
      isChanged = true
    }
    write(\.name, details.name)
    write(\.amount, details.amount)
    write(\.frequency, details.schedule.frequency)
    write(\.nextBillingDate, details.schedule.nextDay.date)
    write(\.billingDay, details.schedule.billingDay)
    write(\.category, details.category)
    return isChanged
  }
}
