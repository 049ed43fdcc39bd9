public import AppStorePurchases
public import Foundation

/// What the app reads of a verified transaction, as a plain value: deciding and storing need no App Store.
public struct PaidTransaction: Hashable, Sendable {
  /// The App Store took the money back.
  public struct Revocation: Hashable, Sendable {
    public var date: Date
    /// StoreKit's number: 1 for a fault of the app, 0 for anything else.
    public var reason: Int?
    /// How much of the price, 0 to 100; nil for all of it.
    public var percentage: Decimal?

    public init(date: Date, reason: Int? = nil, percentage: Decimal? = nil) {
      self.date = date
      self.reason = reason
      self.percentage = percentage
    }
  }

  public var key: TransactionKey
  public var productID: String
  public var isConsumable: Bool
  public var isFamilyShared: Bool
  public var quantity: Int
  public var purchaseDate: Date
  /// For the whole quantity.
  public var price: Decimal?
  public var currencyCode: String?
  public var storefront: String
  public var revocation: Revocation?
  public var signedAt: Date
  public var signedText: String

  public init(
    key: TransactionKey, productID: String, isConsumable: Bool = true, isFamilyShared: Bool = false, quantity: Int = 1,
    purchaseDate: Date, price: Decimal? = nil, currencyCode: String? = nil, storefront: String,
    revocation: Revocation? = nil, signedAt: Date, signedText: String
  ) {
    self.key = key
    self.productID = productID
    self.isConsumable = isConsumable
    self.isFamilyShared = isFamilyShared
    self.quantity = quantity
    self.purchaseDate = purchaseDate
    self.price = price
    self.currencyCode = currencyCode
    self.storefront = storefront
    self.revocation = revocation
    self.signedAt = signedAt
    self.signedText = signedText
  }

  public init(_ transaction: Transaction, signedText: String) {
    self.init(
      key: TransactionKey(
        environment: transaction.environment.rawValue, bundleID: transaction.appBundleID,
        transactionID: transaction.id),
      productID: transaction.productID, isConsumable: transaction.productType == .consumable,
      isFamilyShared: transaction.ownershipType != .purchased, quantity: transaction.purchasedQuantity,
      purchaseDate: transaction.purchaseDate, price: transaction.price,
      currencyCode: transaction.currency?.identifier, storefront: transaction.storefront.countryCode,
      revocation: transaction.revocationDate.map { date in
        Revocation(
          date: date, reason: transaction.revocationReason?.rawValue, percentage: transaction.revocationPercentage)
      }, signedAt: transaction.signedDate, signedText: signedText)
  }
}
