extension Product {
  /// A length of time between two charges, or of an offer.
  public struct SubscriptionPeriod: Hashable, Sendable {
    /// The unit in which a length of time is counted.
    public enum Unit: Hashable, Sendable {
      /// A day, a week, a month or a year of the calendar.
      case day, week, month, year
    }

    /// The unit that ``value`` counts.
    public let unit: Unit
    /// How many of the unit, at least 1.
    public let value: Int

    /// A period of `value` units; `value` is at least 1 and is not checked.
    public init(unit: Unit, value: Int) {
      self.unit = unit
      self.value = value
    }

    /// One week.
    public static let weekly = SubscriptionPeriod(unit: .week, value: 1)
    /// One month.
    public static let monthly = SubscriptionPeriod(unit: .month, value: 1)
    /// One year.
    public static let yearly = SubscriptionPeriod(unit: .year, value: 1)
    /// Three days.
    public static let everyThreeDays = SubscriptionPeriod(unit: .day, value: 3)
    /// Two weeks.
    public static let everyTwoWeeks = SubscriptionPeriod(unit: .week, value: 2)
    /// Two months.
    public static let everyTwoMonths = SubscriptionPeriod(unit: .month, value: 2)
    /// Three months.
    public static let everyThreeMonths = SubscriptionPeriod(unit: .month, value: 3)
    /// Six months.
    public static let everySixMonths = SubscriptionPeriod(unit: .month, value: 6)
  }
}
