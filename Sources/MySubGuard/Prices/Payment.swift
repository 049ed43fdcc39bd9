public import Foundation
public import Tandem

/// A charge that the person has marked as paid, as it is stored and synchronised; ``PaidCharge`` is the plain value.
@Model
public final class Payment {
  /// The subscription's id and the day of the charge: two devices that mark one charge apart mean one payment.
  @Attribute(.unique) public var key: String
  #Index<Payment>([\.day])
  /// Midnight in UTC of the charge's day.
  public var day: Date
  /// The amount that was paid, exact.
  public var amount: Decimal
  /// The currency that it was paid in.
  public var currency: Currency
  /// Midnight in UTC of the day on which it was marked.
  public var paidOn: Date
  /// The subscription that was paid.
  public var subscription: Subscription?

  /// Creates a row of a paid charge.
  public init(_ charge: PaidCharge, of subscription: UUID) {
    key = Self.key(charge.day, of: subscription)
    day = charge.day.date
    amount = charge.price.amount
    currency = charge.price.currency
    paidOn = charge.paidOn.date
  }

  static func key(_ day: CalendarDay, of subscription: UUID) -> String { "\(subscription.uuidString) \(day)" }

  /// The same as a plain value.
  public var charge: PaidCharge {
    PaidCharge(day: CalendarDay(day), price: Money(amount, currency), paidOn: CalendarDay(paidOn))
  }
}
