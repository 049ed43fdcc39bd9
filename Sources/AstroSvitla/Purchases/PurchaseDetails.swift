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
  /// How the buyer's device came to it, whoever else delivered it too.
  public let delivery: DeliveryPath
  /// When it was recovered; nil where a device received it as it was bought.
  public let restoredAt: Date?
  public let revokedAt: Date?
  /// The part of the price that was given back, 0 to 1.
  public let refundedPart: Decimal
  public let finishedAt: Date?

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
    restoredAt = paths == [.recovery] ? arrivals.map(\.arrivedAt).min() : nil
    revokedAt = revocation?.revokedAt
    refundedPart = revocation?.part ?? 0
    finishedAt = record.finishedAt
  }
}

/// A credit spent, as a value.
public struct ConsumptionDetails: Hashable, Sendable {
  public let requestID: UUID
  public let area: ReportArea
  /// Nil for a chart of no profile.
  public let profileID: UUID?
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
  public let key: CreditKey
  public let purchaseDate: Date
  /// What it pays for; nil as long as nobody spent it.
  public let consumption: ConsumptionDetails?
  /// A refund took it.
  public let isRevoked: Bool

  public var isConsumed: Bool { consumption != nil }
  /// Neither spent nor refunded.
  public var isAvailable: Bool { !isConsumed && !isRevoked }
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
