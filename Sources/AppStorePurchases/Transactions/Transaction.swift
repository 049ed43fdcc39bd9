public import Foundation

/// One purchase, or one renewal, as the store signed it. A snapshot: a refund arrives as the same ``id`` with a
/// ``revocationDate``.
///
/// ```swift
/// let purchases: Transaction.Transactions = Transaction.unfinished
/// for await result: VerificationResult<Transaction> in purchases {
///   switch result {
///   case .verified(let transaction) where transaction.revocationDate != nil: takeBack(transaction)
///   case .verified(let transaction): deliver(transaction)
///   case .unverified(_, let error) where error == .revokedCertificate: print("signed with a stolen key")
///   case .unverified: break  // deliver nothing, finish nothing
///   }
/// }
/// ```
///
/// Know a transaction by ``environment``, ``appBundleID`` and ``id`` together. Never by its signed text: two devices
/// hold different texts for one transaction, and one signature has two valid forms.
public struct Transaction: Identifiable, Hashable, Sendable {
  /// Unique within environment and bundle id. A local store counts from 0, and from 0 again after a reset.
  public let id: UInt64
  /// The first transaction of a subscription or of a restored purchase, else ``id``.
  public let originalID: UInt64
  /// The store's number of the purchase across devices, for subscriptions; nil elsewhere.
  public let webOrderLineItemID: String?
  /// The same for one account and app, over all purchases and devices; empty in tokens that do not say it.
  public let appTransactionID: String
  /// The identifier of the product that was bought.
  public let productID: String
  /// The group of the subscription; nil unless the product is an auto-renewable subscription.
  public let subscriptionGroupID: String?
  /// The app that the purchase belongs to.
  public let appBundleID: String
  /// The time of this purchase, renewal or restore.
  public let purchaseDate: Date
  /// The time of the purchase that ``originalID`` names.
  public let originalPurchaseDate: Date
  /// When the paid time ends; nil unless it is an auto-renewable subscription.
  public let expirationDate: Date?
  /// 1 to 10.
  public let purchasedQuantity: Int
  /// A higher service of the group has taken its place.
  public let isUpgraded: Bool
  /// The offer that was used; nil without one.
  public let offer: Offer?
  /// Nil unless the store refunded it or took it out of Family Sharing.
  public let revocationDate: Date?
  /// The reason of the revocation; nil unless ``revocationDate`` is set.
  public let revocationReason: RevocationReason?
  /// How much was revoked; nil in tokens that do not say it.
  public let revocationType: RevocationType?
  /// The part that was refunded, 0 to 100, of a prorated refund.
  public let revocationPercentage: Decimal?
  /// The kind of product.
  public let productType: Product.ProductType
  /// The app's own account, which the app passed with ``Product/PurchaseOption/appAccountToken(_:)``.
  public let appAccountToken: UUID?
  /// The environment in which the purchase was made.
  public let environment: AppStore.Environment
  /// Whether a person bought it or the store renewed it.
  public let reason: Reason
  /// The region in which the purchase was made.
  public let storefront: Storefront
  /// The price of the whole quantity, exact; nil in tokens that do not say it.
  public let price: Decimal?
  /// The currency of ``price``; nil in tokens that do not say it.
  public let currency: Locale.Currency?
  /// Whether the account bought it or somebody else in the family did.
  public let ownershipType: OwnershipType
  /// The time at which the store signed the token. It differs from one text of a transaction to another.
  public let signedDate: Date
  /// Binds the token to a device, see ``AppStore/deviceVerificationID``. Empty in tokens that are not bound.
  public let deviceVerification: Data
  /// Goes into ``deviceVerification``. All zero in tokens that are not bound.
  public let deviceVerificationNonce: UUID

  package let signature: SignatureRecord
  package var origin = StoreOrigin()

  /// The payload as it was signed, in JSON.
  public var jsonRepresentation: Data { signature.document.payload }

  /// Nil unless ``offer`` is set.
  public var offerType: OfferType? { offer?.type }

  /// Tells the store that the purchase is delivered. Do it last, when what was bought is durable.
  ///
  /// It cannot fail visibly, as in StoreKit: a finish that did not reach the store leaves the transaction unfinished,
  /// and it is delivered again at the next launch. ``confirmFinish()`` throws instead.
  public func finish() async {
    // The store delivers an unfinished transaction again, so that nothing is lost with the error.
    try? await confirmFinish()
  }

  /// ``finish()`` with an answer: it returns once the store has taken it.
  ///
  /// - Throws: ``StoreKitError``, or the client's own error. After a throw the store may have taken it or not.
  public func confirmFinish() async throws {
    try await origin.resolve().finish(self)
  }
}
