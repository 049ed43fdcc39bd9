public import Foundation

/// A delivered purchase as a value.
public struct PurchaseDetails: Hashable, Sendable {
  /// The same everywhere.
  public let key: TransactionKey
  /// The product that was bought.
  public let productID: String
  /// 1 to 10.
  public let quantity: Int
  /// How many credits it brought; none of a plan.
  public let creditsGranted: Int
  /// Of them, those that were spent.
  public let creditsUsed: Int
  /// When it was paid.
  public let purchaseDate: Date
  /// For the whole quantity; nil where the App Store did not say.
  public let price: Decimal?
  /// The currency of the price by ISO 4217.
  public let currencyCode: String?
  /// The region's three letters, such as `UKR`.
  public let storefront: String
  /// How the buyer's device came to it, also where other devices delivered it.
  public let delivery: DeliveryPath
  /// When it was recovered; nil where a device received it as it was bought.
  public let restoredAt: Date?
  /// When the App Store took the money back; nil if it did not.
  public let revokedAt: Date?
  /// The part of the price that was given back, 0 to 1.
  public let refundedPart: Decimal
  /// When the App Store was told that it is delivered; nil as long as it may not know.
  public let finishedAt: Date?
  /// When the paid time of a plan ends; nil for credits.
  public let expiresAt: Date?

  /// - Parameters:
  ///   - record: The purchase.
  ///   - ledger: The credits, settled.
  ///   - arrivals: How it reached each installation that delivered it.
  ///   - revocation: The App Store's last word about a refund.
  init(_ record: PurchaseRecord, _ ledger: CreditLedger, _ arrivals: [PurchaseArrival], _ revocation: RevocationNotice?)
  {
    key = record.key
    productID = record.productID
    quantity = record.quantity
    creditsGranted = ledger.grantedCount(of: record.key.text)
    creditsUsed = ledger.usedCount(of: record.key.text)
    purchaseDate = record.purchaseDate
    price = record.price
    currencyCode = record.currencyCode
    storefront = record.storefront
    let paths = Set(arrivals.map(\.path))
    delivery = DeliveryPath.strongestFirst.first(where: paths.contains) ?? paths.first ?? .unknown
    restoredAt = PurchaseArrival.restoredAt(arrivals)
    revokedAt = revocation?.revokedAt
    refundedPart = revocation?.part ?? 0
    finishedAt = record.finishedAt
    expiresAt = record.expiresAt
  }
}

/// A credit spent, as a value.
public struct ConsumptionDetails: Hashable, Sendable {
  /// The request that was paid.
  public let requestID: UUID
  /// What the report is about.
  public let area: ReportArea
  /// Nil for a chart of no profile.
  public let profileID: UUID?
  /// When it was spent.
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

/// One credit and what became of it, worked out from all consumptions and refunds.
public struct CreditDetails: Hashable, Sendable {
  /// The same everywhere.
  public let key: CreditKey
  /// When its purchase was paid.
  public let purchaseDate: Date
  /// What it pays for; nil as long as nobody spent it.
  public let consumption: ConsumptionDetails?
  /// A refund took it.
  public let isRevoked: Bool

  /// It pays for a report.
  public var isConsumed: Bool { consumption != nil }
  /// Neither spent nor refunded.
  public var isAvailable: Bool { !isConsumed && !isRevoked }
}

/// A transaction that was put aside, as a value.
public struct QuarantineDetails: Hashable, Sendable {
  /// The transaction that it is or claims to be.
  public let key: String
  /// Why it was put aside.
  public let reason: QuarantineReason
  /// As it says; nil where the signature is not right.
  public let productID: String?
  /// The words of the verification, without the token's contents.
  public let detail: String?
  /// When it came first.
  public let firstSeenAt: Date

  init(_ transaction: QuarantinedTransaction) {
    key = transaction.key
    reason = transaction.reason
    productID = transaction.productID
    detail = transaction.detail
    firstSeenAt = transaction.firstSeenAt
  }
}
