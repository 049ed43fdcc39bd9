public import Foundation

extension Product.SubscriptionInfo {
  /// The store's plan for a subscription when its period ends. Signed like a transaction.
  public struct RenewalInfo: Hashable, Sendable {
    /// The cause of a subscription's end. A value that this build does not know is kept as it is.
    public struct ExpirationReason: RawRepresentable, Hashable, Sendable {
      /// The number as it stands in a signed token.
      public let rawValue: Int

      /// Creates a cause from a number, known or not.
      public init(rawValue: Int) {
        self.rawValue = rawValue
      }

      /// The person turned the renewal off.
      public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
      /// The payment failed.
      public static let billingError = ExpirationReason(rawValue: 2)
      /// The person did not agree to a higher price.
      public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
      /// The product was no longer sold when it was to be renewed.
      public static let productUnavailable = ExpirationReason(rawValue: 4)
      /// The store does not say.
      public static let unknown = ExpirationReason(rawValue: 5)
    }

    /// The person's answer to a higher price.
    public enum PriceIncreaseStatus: Hashable, Sendable {
      /// No higher price is pending; one waits for the person's consent; the person has agreed to it.
      case noIncreasePending, pending, agreed
    }

    /// The first transaction of the subscription, which stays the same over all renewals.
    public let originalTransactionID: UInt64
    /// The product that is subscribed to now.
    public let currentProductID: String
    /// Whether the subscription is renewed when its period ends.
    public let willAutoRenew: Bool
    /// The product that will be renewed; nil when none will.
    public let autoRenewPreference: String?
    /// Nil while the subscription runs.
    public let expirationReason: ExpirationReason?
    /// The person's answer to a higher price.
    public let priceIncreaseStatus: PriceIncreaseStatus
    /// Whether the store is trying to charge again after a failed payment.
    public let isInBillingRetry: Bool
    /// The end of the time in which the person is served without having paid; nil where there is none.
    public let gracePeriodExpirationDate: Date?
    /// The offer for the next period, with its way of paying and its length where the token says them; nil without one.
    public let offer: Transaction.Offer?
    /// The identifiers of the offers for the person, should the subscription have ended; the best one first.
    public let eligibleWinBackOfferIDs: [String]
    /// The app's own account, which the app passed with ``Product/PurchaseOption/appAccountToken(_:)``.
    public let appAccountToken: UUID?
    /// The same for one account and app, over all purchases and devices; empty in tokens that do not say it.
    public let appTransactionID: String
    /// The environment in which the token was signed.
    public let environment: AppStore.Environment
    /// The start of the latest time without a gap of more than 60 days.
    public let recentSubscriptionStartDate: Date
    /// The date of the next charge; nil in tokens that do not say it.
    public let renewalDate: Date?
    /// For the next period, exact; nil in tokens that do not say it.
    public let renewalPrice: Decimal?
    /// The currency of ``renewalPrice``; nil in tokens that do not say it.
    public let currency: Locale.Currency?
    /// The time at which the store signed the token.
    public let signedDate: Date
    /// Empty in tokens that are not bound to a device.
    public let deviceVerification: Data
    /// All zero in tokens that are not bound to a device.
    public let deviceVerificationNonce: UUID

    package let signature: SignatureRecord

    /// The kind of offer for the next period; nil without one.
    public var offerType: Transaction.OfferType? { offer?.type }
    /// The identifier of the offer for the next period; nil without one, and for an introductory offer.
    public var offerID: String? { offer?.id }

    /// The payload as it was signed, in JSON.
    public var jsonRepresentation: Data { signature.document.payload }
  }
}
