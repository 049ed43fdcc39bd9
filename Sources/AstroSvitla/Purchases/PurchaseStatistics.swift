public import Foundation

/// The numbers of a person's purchases.
public struct PurchaseStatistics: Hashable, Sendable {
  public let purchaseCount: Int
  public let refundedCount: Int
  public let reportCount: Int
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
