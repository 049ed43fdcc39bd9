/// A charge that is paid: it is no more among those that come.
public struct PaidCharge: Hashable, Sendable {
  /// The day of the charge.
  public let day: CalendarDay
  /// The price that was paid.
  public let price: Money
  /// The day on which it was marked.
  public let paidOn: CalendarDay

  /// Creates a charge from its parts.
  public init(day: CalendarDay, price: Money, paidOn: CalendarDay) {
    (self.day, self.price, self.paidOn) = (day, price, paidOn)
  }
}
