public import Foundation
public import Tandem

/// A change of a subscription's price, as it is stored and synchronised; ``PriceStep`` is the same as a plain value.
@Model
public final class PriceChange {
  /// Equal on every device.
  @Attribute(.unique) public var id: UUID
  /// Midnight in UTC of the first day with the new price.
  public var since: Date
  /// Per charge, exact.
  public var amount: Decimal
  /// The code of the new price's currency.
  public var currency: Currency
  /// The price that was known before.
  public var amountBefore: Decimal
  /// The code of the former price's currency.
  public var currencyBefore: Currency
  /// When the person noted it.
  public var notedAt: Date
  /// The subscription that costs another price.
  public var subscription: Subscription?

  /// Creates a row of a step.
  public init(_ step: PriceStep) {
    id = step.id
    since = step.since.date
    amount = step.price.amount
    currency = step.price.currency
    amountBefore = step.before.amount
    currencyBefore = step.before.currency
    notedAt = step.notedAt
  }

  /// Writes the prices of a step.
  func takePrices(of step: PriceStep) {
    amount = step.price.amount
    currency = step.price.currency
    amountBefore = step.before.amount
    currencyBefore = step.before.currency
  }

  /// The same as a plain value.
  public var step: PriceStep {
    PriceStep(
      id: id, since: CalendarDay(since), price: Money(amount, currency), before: Money(amountBefore, currencyBefore),
      notedAt: notedAt)
  }
}
