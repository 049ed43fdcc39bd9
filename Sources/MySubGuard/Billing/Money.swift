public import Foundation

/// An exact amount in a currency. Amounts of two currencies are never added.
public struct Money: Hashable, Sendable {
  /// The number of units.
  public var amount: Decimal
  /// The unit.
  public var currency: Currency

  /// Creates an amount from its parts.
  public init(_ amount: Decimal, _ currency: Currency) {
    self.amount = amount
    self.currency = currency
  }
}
