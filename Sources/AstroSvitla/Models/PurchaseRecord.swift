public import Foundation
public import Tandem

/// One paid transaction, delivered once: what was bought, for how much, how it arrived, and what became of it.
@Model
public final class PurchaseRecord {
  #Unique<PurchaseRecord>([\.environment, \.bundleID, \.transactionID])
  #Index<PurchaseRecord>([\.purchaseDate])
  #Group<PurchaseRecord>(\.revokedAt, \.revocationReason, \.revocationSignedAt)
  public private(set) var environment: String
  public private(set) var bundleID: String
  public private(set) var transactionID: UInt64
  public private(set) var productID: String
  public private(set) var quantity: Int
  /// How many credits it brought; 0 for a product that was refunded before this app knew it.
  public private(set) var creditsGranted: Int
  public private(set) var purchaseDate: Date
  /// What was paid for the whole quantity; from the transaction, never from a product that was loaded.
  public private(set) var price: Decimal?
  public private(set) var currencyCode: String?
  /// The region's three letters, such as `UKR`.
  public private(set) var storefront: String
  public private(set) var delivery: DeliveryPath
  public private(set) var deliveredAt: Date
  /// When "Restore Purchases" brought it; nil when it came by itself.
  public private(set) var restoredAt: Date?
  /// When the App Store took the money back; nil unless it did, and again when a refund was reversed.
  public private(set) var revokedAt: Date?
  public private(set) var revocationReason: Int?
  /// When the App Store signed what the two above say, so that an older word never replaces a newer one.
  public private(set) var revocationSignedAt: Date?
  /// When the App Store was told that it is delivered; nil as long as it may not know.
  public private(set) var finishedAt: Date?
  /// As the App Store signed it, for audit. It does not identify the transaction.
  public private(set) var signedText: String
  @Relationship(deleteRule: .cascade, inverse: \PurchaseCredit.purchase) public var credits: [PurchaseCredit] = []

  public init(_ paid: PaidTransaction, credits: Int, delivery: DeliveryPath, at date: Date, isRestored: Bool) {
    environment = paid.key.environment
    bundleID = paid.key.bundleID
    transactionID = paid.key.transactionID
    productID = paid.productID
    quantity = paid.quantity
    creditsGranted = credits
    purchaseDate = paid.purchaseDate
    price = paid.price
    currencyCode = paid.currencyCode
    storefront = paid.storefront
    self.delivery = delivery
    deliveredAt = date
    restoredAt = isRestored ? date : nil
    revokedAt = paid.revocation?.date
    revocationReason = paid.revocation?.reason
    revocationSignedAt = paid.revocation == nil ? nil : paid.signedAt
    finishedAt = nil
    signedText = paid.signedText
  }

  public var key: TransactionKey {
    TransactionKey(environment: environment, bundleID: bundleID, transactionID: transactionID)
  }

  /// What deciding about a transaction needs to know of its record.
  public var state: DeliveryDecision.Known {
    DeliveryDecision.Known(revokedAt: revokedAt, revocationSignedAt: revocationSignedAt)
  }

  /// What one credit cost; nil where the App Store did not say.
  public var pricePerCredit: Decimal? {
    guard let price, creditsGranted > 0 else { return nil }
    return price / Decimal(creditsGranted)
  }

  /// Takes over what a newer word of the App Store says about a refund, or its reversal.
  func noteRevocation(of paid: PaidTransaction) {
    revokedAt = paid.revocation?.date
    revocationReason = paid.revocation?.reason
    revocationSignedAt = paid.signedAt
  }

  /// The ordinals of the credits that are still missing; counts them as granted.
  func grant(upTo credits: Int) -> Range<Int> {
    let missing = creditsGranted..<max(creditsGranted, credits)
    creditsGranted = missing.upperBound
    return missing
  }

  func noteFinished(at date: Date) {
    if finishedAt == nil { finishedAt = date }
  }
}
