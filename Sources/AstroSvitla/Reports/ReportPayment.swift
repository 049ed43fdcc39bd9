public import Foundation

/// What paid for a report.
public struct ReportPayment: Hashable, Sendable {
  /// The purchase of the credit, or of the plan.
  public let transaction: TransactionKey
  /// When that was paid.
  public let purchaseDate: Date
  /// Whether it was a plan, under which reports cost no credit.
  public let isPlan: Bool

  init(_ record: PurchaseRecord) {
    transaction = record.key
    purchaseDate = record.purchaseDate
    isPlan = record.expiresAt != nil
  }
}
