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
  /// The App Store's environment, such as `Production`.
  public private(set) var environment: String
  /// The app that it was bought in.
  public private(set) var bundleID: String
  /// The App Store's number within environment and app.
  public private(set) var transactionID: UInt64
  /// The product that was bought; later builds may know more of them.
  public private(set) var productID: String
  /// 1 to 10.
  public private(set) var quantity: Int
  /// When it was paid.
  public private(set) var purchaseDate: Date
  /// What was paid for the whole quantity; from the transaction, never from a product that was loaded.
  public private(set) var price: Decimal?
  /// The currency of the price by ISO 4217.
  public private(set) var currencyCode: String?
  /// The region's three letters, such as `UKR`.
  public private(set) var storefront: String
  /// When the time ends that was paid; nil for credits, which have no end.
  public private(set) var expiresAt: Date?
  /// When the App Store was told that it is delivered; nil as long as it may not know.
  public private(set) var finishedAt: Date?
  /// As the App Store signed it, for audit. It does not identify the transaction.
  public private(set) var signedText: String
  /// The credits that it brought; deleted with it.
  @Relationship(deleteRule: .cascade, inverse: \PurchaseCredit.purchase) public var credits: [PurchaseCredit] = []

  /// Creates the record of a verified transaction.
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
    expiresAt = paid.expiresAt
    finishedAt = nil
    signedText = paid.signedText
  }

  /// What makes the transaction the same one everywhere.
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

// Under the names of the product contract.
extension PurchaseRecord {
  /// An id that follows from the transaction, the same on every device.
  public var id: UUID { NameBasedID.uuid(of: "purchase/\(key.text)") }

  /// The price as the region of the purchase writes it; nil where the App Store did not say.
  public var localizedPrice: String? {
    guard let price, let currencyCode else { return nil }
    let locale = Locale(identifier: CreditProduct.catalog.localeIdentifier(of: storefront) ?? "en_US")
    return price.formatted(Decimal.FormatStyle.Currency(code: currencyCode, locale: locale))
  }

  /// What the product costs in the United States by the price table, for the whole quantity: a list price, and never a
  /// rate of exchange. Nil for a product that this build does not know.
  public var priceUSD: Decimal? { CreditProduct.catalog.listPrice(of: productID).map { $0 * Decimal(quantity) } }

  /// The credits that are neither spent nor refunded. Throws what reading the store throws.
  public var availableCredits: Int { get throws { try details.count { $0.isAvailable } } }

  /// The credits that pay for reports. Throws what reading the store throws.
  public var consumedCredits: Int { get throws { try details.count { $0.isConsumed } } }

  /// Whether it was recovered: no installation received it as it was bought. Throws what reading the store throws.
  public var isRestored: Bool { get throws { try restoredDate != nil } }

  /// When it was recovered. Throws what reading the store throws.
  public var restoredDate: Date? {
    get throws { try modelContext.map { PurchaseArrival.restoredAt(try $0.arrivals(of: key)) } ?? nil }
  }

  /// Notes that an installation recovered it; ``PurchaseService`` does that where it recovers one. Nothing is saved
  /// yet. Throws what reading the store throws.
  public func markAsRestored(on installation: Installation, at date: Date = .now) throws {
    guard let modelContext else { return }
    if let known = try modelContext.arrival(key, installation.id) {
      known.note(.recovery, at: date)
    } else {
      modelContext.insert(PurchaseArrival(key, installationID: installation.id, path: .recovery, at: date))
    }
  }

  private var details: [CreditDetails] {
    get throws { try modelContext.map { try $0.creditDetails(of: key.text) } ?? [] }
  }
}
