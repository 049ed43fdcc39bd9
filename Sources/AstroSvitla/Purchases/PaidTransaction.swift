public import AppStorePurchases
public import Foundation

/// What the app reads of a verified transaction, as a plain value: deciding and storing need no App Store.
public struct PaidTransaction: Hashable, Sendable {
  /// The App Store took the money back.
  public struct Revocation: Hashable, Sendable {
    /// When it did.
    public var date: Date
    /// StoreKit's number: 1 for a fault of the app, 0 for anything else.
    public var reason: Int?
    /// How much of the price, 0 to 100; nil for all of it.
    public var percentage: Decimal?

    /// The part of the purchase that is taken back, 0 to 1.
    var part: Decimal { min(max((percentage ?? 100) / 100, 0), 1) }

    /// Creates a revocation.
    public init(date: Date, reason: Int? = nil, percentage: Decimal? = nil) {
      self.date = date
      self.reason = reason
      self.percentage = percentage
    }

    /// Nil for a transaction of which nothing was taken back.
    init?(_ transaction: Transaction) {
      guard let date = transaction.revocationDate else { return nil }
      self.init(
        date: date, reason: transaction.revocationReason?.rawValue, percentage: transaction.revocationPercentage)
    }
  }

  /// What makes the transaction the same one everywhere.
  public var key: TransactionKey
  /// The product that was bought.
  public var productID: String
  /// Whether the App Store calls it a consumable.
  public var isConsumable: Bool
  /// Whether somebody else in the family bought it.
  public var isFamilyShared: Bool
  /// How many were bought at once.
  public var quantity: Int
  /// When it was paid.
  public var purchaseDate: Date
  /// When the time ends that was paid; nil unless it is an auto-renewable subscription.
  public var expiresAt: Date?
  /// For the whole quantity.
  public var price: Decimal?
  /// The currency of the price by ISO 4217.
  public var currencyCode: String?
  /// The region's three letters, such as `UKR`.
  public var storefront: String
  /// Nil unless the money was taken back.
  public var revocation: Revocation?
  /// When the App Store signed this text of it.
  public var signedAt: Date
  /// The text as it was signed.
  public var signedText: String

  /// Creates a transaction from its parts.
  public init(
    key: TransactionKey, productID: String, isConsumable: Bool = true, isFamilyShared: Bool = false, quantity: Int = 1,
    purchaseDate: Date, expiresAt: Date? = nil, price: Decimal? = nil, currencyCode: String? = nil, storefront: String,
    revocation: Revocation? = nil, signedAt: Date, signedText: String
  ) {
    self.key = key
    self.productID = productID
    self.isConsumable = isConsumable
    self.isFamilyShared = isFamilyShared
    self.quantity = quantity
    self.purchaseDate = purchaseDate
    self.expiresAt = expiresAt
    self.price = price
    self.currencyCode = currencyCode
    self.storefront = storefront
    self.revocation = revocation
    self.signedAt = signedAt
    self.signedText = signedText
  }

  /// Reads a verified transaction.
  public init(_ transaction: Transaction, signedText: String) {
    self.init(
      key: TransactionKey(transaction),
      productID: transaction.productID, isConsumable: transaction.productType == .consumable,
      isFamilyShared: transaction.ownershipType != .purchased, quantity: transaction.purchasedQuantity,
      purchaseDate: transaction.purchaseDate,
      expiresAt: transaction.productType == .autoRenewable ? transaction.expirationDate : nil,
      price: transaction.price,
      currencyCode: transaction.currency?.identifier, storefront: transaction.storefront.countryCode,
      revocation: Revocation(transaction), signedAt: transaction.signedDate, signedText: signedText)
  }

  /// The plan that it pays for; nil for credits and for products that this build does not know.
  public var plan: PlanProduct? { PlanProduct(rawValue: productID) }
}

extension TransactionKey {
  /// The key of a transaction of the App Store.
  init(_ transaction: Transaction) {
    self.init(
      environment: transaction.environment.rawValue, bundleID: transaction.appBundleID, transactionID: transaction.id)
  }
}
