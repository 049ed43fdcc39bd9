public import Foundation

extension Product.SubscriptionInfo {
  /// What the store intends with a subscription when its period ends. Signed like a transaction.
  public struct RenewalInfo: Hashable, Sendable {
    public struct ExpirationReason: RawRepresentable, Hashable, Sendable {
      public let rawValue: Int

      public init(rawValue: Int) {
        self.rawValue = rawValue
      }

      public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
      public static let billingError = ExpirationReason(rawValue: 2)
      public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
      public static let productUnavailable = ExpirationReason(rawValue: 4)
      public static let unknown = ExpirationReason(rawValue: 5)
    }

    public enum PriceIncreaseStatus: Hashable, Sendable {
      case noIncreasePending, pending, agreed
    }

    public let originalTransactionID: UInt64
    /// What is subscribed to now.
    public let currentProductID: String
    public let willAutoRenew: Bool
    /// What will be renewed; nil when nothing will.
    public let autoRenewPreference: String?
    /// Nil while the subscription runs.
    public let expirationReason: ExpirationReason?
    public let priceIncreaseStatus: PriceIncreaseStatus
    public let isInBillingRetry: Bool
    public let gracePeriodExpirationDate: Date?
    public let offerType: Transaction.OfferType?
    public let offerID: String?
    public let environment: AppStore.Environment
    public let recentSubscriptionStartDate: Date
    public let renewalDate: Date?
    /// For the next period, exact; nil in tokens that do not say it.
    public let renewalPrice: Decimal?
    public let currency: Locale.Currency?
    public let signedDate: Date
    /// Empty in tokens that are not bound to a device.
    public let deviceVerification: Data
    /// All zero in tokens that are not bound to a device.
    public let deviceVerificationNonce: UUID

    package let signature: SignatureRecord

    /// The payload as it was signed, in JSON.
    public var jsonRepresentation: Data { signature.document.payload }
  }
}
