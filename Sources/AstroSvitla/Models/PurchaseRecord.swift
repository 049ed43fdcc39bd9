public import Foundation
public import Tandem

/// One paid transaction, delivered once: what was bought, and for how much. All of it is in the signed transaction, so
/// every device writes the same; only ``finishedAt`` is set later, and never taken back.
///
/// How it arrived is in ``PurchaseArrival``, what became of it in ``RevocationNotice`` and ``CreditConsumption``.
@Model
public final class PurchaseRecord {
  #Unique<PurchaseRecord>([\.environment, \.bundleID, \.transactionID])
  #Index<PurchaseRecord>([\.purchaseDate])
  public private(set) var environment: String
  public private(set) var bundleID: String
  public private(set) var transactionID: UInt64
  public private(set) var productID: String
  public private(set) var quantity: Int
  public private(set) var purchaseDate: Date
  /// What was paid for the whole quantity; from the transaction, never from a product that was loaded.
  public private(set) var price: Decimal?
  public private(set) var currencyCode: String?
  /// The region's three letters, such as `UKR`.
  public private(set) var storefront: String
  /// When the App Store was told that it is delivered; nil as long as it may not know.
  public private(set) var finishedAt: Date?
  /// As the App Store signed it, for audit. It does not identify the transaction.
  public private(set) var signedText: String
  @Relationship(deleteRule: .cascade, inverse: \PurchaseCredit.purchase) public var credits: [PurchaseCredit] = []

  public init(_ paid: PaidTransaction) {
    environment = paid.key.environment
    bundleID = paid.key.bundleID
    transactionID = paid.key.transactionID
    productID = paid.productID
    quantity = paid.quantity
    purchaseDate = paid.purchaseDate
    price = paid.price
    currencyCode = paid.currencyCode
    storefront = paid.storefront
    finishedAt = nil
    signedText = paid.signedText
  }

  public var key: TransactionKey {
    TransactionKey(environment: environment, bundleID: bundleID, transactionID: transactionID)
  }

  /// How many credits it brought; 0 for a product that was refunded before this app knew it.
  public var creditsGranted: Int { credits.count }

  /// What one credit cost, rounded to the currency; nil where the App Store did not say.
  public var pricePerCredit: Decimal? {
    let count = creditsGranted
    guard let price, count > 0 else { return nil }
    return CurrencyRounding.rounded(price / Decimal(count), currencyCode)
  }

  func noteFinished(at date: Date) {
    if finishedAt == nil { finishedAt = date }
  }
}
