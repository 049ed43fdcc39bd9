public import Foundation
public import Tandem

/// One subscription of a person, as it is stored and synchronised: each value merges on its own.
///
/// ``details`` is the same as a checked, plain value; ``apply(_:keepsTerms:)`` writes one back.
@Model
public final class Subscription {
  #Index<Subscription>([\.nextBillingDate], [\.name])
  #Group<Subscription>(\.amount, \.currency)
  #Group<Subscription>(\.pausedFrom, \.pausedUntil)

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
  /// The currency of ``amount``. Subscriptions of earlier builds are in euros.
  public var currency = Currency.euro
  /// Midnight in UTC of the first day that costs; nil where nothing was free.
  public var trialUntil: Date?
  /// Midnight in UTC of the first day of a pause.
  public var pausedFrom: Date?
  /// Midnight in UTC of the day on which charges go on; nil until somebody resumes.
  public var pausedUntil: Date?
  /// Midnight in UTC of the first day without the subscription; nil while it is not cancelled.
  public var endsOn: Date?
  /// The changes of its price, which go with it.
  @Relationship(deleteRule: .cascade, inverse: \PriceChange.subscription) public var priceChanges: [PriceChange] = []
  /// The charges that were marked as paid, which go with it.
  @Relationship(deleteRule: .cascade, inverse: \Payment.subscription) public var payments: [Payment] = []

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
    currency = details.currency
    trialUntil = details.standing.trialEnd?.date
    pausedFrom = details.standing.pause?.start.date
    pausedUntil = details.standing.pause?.end?.date
    endsOn = details.standing.endDay?.date
  }

  /// Creates a subscription of the values that the app's document names.
  /// - Throws: ``SubscriptionError`` `invalidValue` when the name or the amount is outside its limits.
  public convenience init(
    id: UUID = UUID(), name: String, amount: Decimal, frequency: BillingFrequency, nextBillingDate: Date,
    category: SubscriptionCategory = .personal, createdAt: Date = .now
  ) throws {
    let schedule = BillingSchedule(frequency: frequency, nextDay: CalendarDay(nextBillingDate))
    self.init(
      try SubscriptionDetails(
        id: id, name: name, amount: amount, schedule: schedule, category: category, createdAt: createdAt))
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
        category: category, createdAt: createdAt, currency: currency, standing: standing)
    }
  }

  private var standing: Standing {
    let pause = pausedFrom.map { Standing.Pause(stored: CalendarDay($0), pausedUntil.map { CalendarDay($0) }) }
    return Standing(trialEnd: trialUntil.map { CalendarDay($0) }, pause: pause, endDay: endsOn.map { CalendarDay($0) })
  }

  /// Whether ``apply(_:keepsTerms:)`` would write anything.
  func differs(from other: SubscriptionDetails, keepsTerms: Bool) throws -> Bool {
    let own = try details
    if (own.name, own.amount, own.category) != (other.name, other.amount, other.category) { return true }
    if own.schedule != other.schedule { return true }
    return !keepsTerms && (own.currency != other.currency || own.standing != other.standing)
  }

  /// Writes the values that differ, so that a save carries no more than what a person changed. The id and the time
  /// of creation stay.
  ///
  /// Returns whether anything was written.
  /// - Parameters:
  ///   - details: The values to write.
  ///   - keepsTerms: Leaves currency, trial, pause and end as they are, for lists that do not say them.
  @discardableResult
  public func apply(_ details: SubscriptionDetails, keepsTerms: Bool = false) -> Bool {
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
    guard !keepsTerms else { return isChanged }
    write(\.currency, details.currency)
    write(\.trialUntil, details.standing.trialEnd?.date)
    write(\.pausedFrom, details.standing.pause?.start.date)
    write(\.pausedUntil, details.standing.pause?.end?.date)
    write(\.endsOn, details.standing.endDay?.date)
    return isChanged
  }
}
