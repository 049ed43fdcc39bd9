public import Foundation

/// A delivered purchase as a value.
public struct PurchaseDetails: Hashable, Sendable {
  public let key: TransactionKey
  public let productID: String
  public let quantity: Int
  public let creditsGranted: Int
  /// Of them, those that were spent.
  public let creditsUsed: Int
  public let purchaseDate: Date
  public let price: Decimal?
  public let currencyCode: String?
  public let storefront: String
  public let delivery: DeliveryPath
  public let restoredAt: Date?
  public let revokedAt: Date?
  public let finishedAt: Date?

  init(_ record: PurchaseRecord, used: Int) {
    key = record.key
    productID = record.productID
    quantity = record.quantity
    creditsGranted = record.creditsGranted
    creditsUsed = used
    purchaseDate = record.purchaseDate
    price = record.price
    currencyCode = record.currencyCode
    storefront = record.storefront
    delivery = record.delivery
    restoredAt = record.restoredAt
    revokedAt = record.revokedAt
    finishedAt = record.finishedAt
  }
}

/// A credit spent, as a value.
public struct ConsumptionDetails: Hashable, Sendable {
  public let requestID: UUID
  public let area: ReportArea
  public let profileID: UUID
  public let consumedAt: Date
  /// The credit that pays for it; nil for an overdraft.
  public let credit: CreditKey?

  init(_ consumption: CreditConsumption, credit: CreditKey?) {
    requestID = consumption.requestID
    area = consumption.area
    profileID = consumption.profileID
    consumedAt = consumption.consumedAt
    self.credit = credit
  }
}

/// A transaction that was put aside, as a value.
public struct QuarantineDetails: Hashable, Sendable {
  public let key: String
  public let reason: QuarantineReason
  public let productID: String?
  public let detail: String?
  public let firstSeenAt: Date

  init(_ transaction: QuarantinedTransaction) {
    key = transaction.key
    reason = transaction.reason
    productID = transaction.productID
    detail = transaction.detail
    firstSeenAt = transaction.firstSeenAt
  }
}
