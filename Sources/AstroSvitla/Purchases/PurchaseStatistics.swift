public import Foundation

/// The numbers of a person's purchases.
public struct PurchaseStatistics: Hashable, Sendable {
  /// All purchases, refunded ones included.
  public let purchaseCount: Int
  /// Those that were refunded, wholly or in part.
  public let refundedCount: Int
  /// Reports of all charts.
  public let reportCount: Int
  /// The credits.
  public let balance: CreditBalance
  /// Paid and not refunded, by currency; exact but for the part of a prorated refund, which is rounded to the currency.
  public let spent: [String: Decimal]

  init(purchases: [PurchaseDetails], reportCount: Int, balance: CreditBalance) {
    purchaseCount = purchases.count
    refundedCount = purchases.count { $0.revokedAt != nil }
    self.reportCount = reportCount
    self.balance = balance
    spent = purchases.reduce(into: [:]) { sums, purchase in
      guard purchase.refundedPart < 1, let price = purchase.price, let currency = purchase.currencyCode else { return }
      sums[currency, default: 0] += price - CurrencyRounding.rounded(price * purchase.refundedPart, currency)
    }
  }
}
