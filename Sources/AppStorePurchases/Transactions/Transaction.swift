public import Foundation

/// One purchase, or one renewal, as the store signed it. A snapshot: a refund arrives as the same ``id`` with a
/// ``revocationDate``.
///
/// Know a transaction by ``environment``, ``appBundleID`` and ``id`` together. Never by its signed text: two devices
/// hold different texts for one transaction, and one signature has two valid forms.
public struct Transaction: Identifiable, Hashable, Sendable {
  /// Unique within environment and bundle id. A local store counts from 0, and from 0 again after a reset.
  public let id: UInt64
  /// The first transaction of a subscription or of a restored purchase, else ``id``.
  public let originalID: UInt64
  public let webOrderLineItemID: String?
  public let productID: String
  public let subscriptionGroupID: String?
  public let appBundleID: String
  public let purchaseDate: Date
  public let originalPurchaseDate: Date
  /// When the paid time ends; nil unless it is an auto-renewable subscription.
  public let expirationDate: Date?
  /// 1 to 10.
  public let purchasedQuantity: Int
  /// A higher service of the group has taken its place.
  public let isUpgraded: Bool
  public let offer: Offer?
  /// Nil unless the store refunded it or took it out of Family Sharing.
  public let revocationDate: Date?
  public let revocationReason: RevocationReason?
  /// How much was revoked; nil in tokens that do not say it.
  public let revocationType: RevocationType?
  /// The part that was refunded, 0 to 100, of a prorated refund.
  public let revocationPercentage: Decimal?
  public let productType: Product.ProductType
  /// What the app passed with ``Product/PurchaseOption/appAccountToken(_:)``.
  public let appAccountToken: UUID?
  public let environment: AppStore.Environment
  public let reason: Reason
  public let storefront: Storefront
  /// What was paid for the whole quantity, exact; nil in tokens that do not say it.
  public let price: Decimal?
  public let currency: Locale.Currency?
  public let ownershipType: OwnershipType
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

  /// ``finish()`` for those who want to know whether the store took it. After a throw it may or may not have.
  public func confirmFinish() async throws {
    try await origin.resolve().finish(self)
  }
}
