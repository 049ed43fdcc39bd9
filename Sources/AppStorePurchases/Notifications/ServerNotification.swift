public import Foundation

/// A notification of the App Store to an app's server, version 2, as the store signed it.
///
/// ```swift
/// func line(_ notification: ServerNotification) -> String {
///   switch notification.content {
///   case .data(let details) where notification.kind == .refund: "refunded in \(details.environment.rawValue)"
///   case .data where notification.subtype == .gracePeriod: "the card was refused"
///   case .data(let details): "version \(details.bundleVersion ?? "?")"
///   case .summary(let summary): "\(summary.succeededCount) subscriptions were extended"
///   case .externalPurchaseToken(let token): "a purchase elsewhere, \(token.creationDate)"
///   }
/// }
/// ```
///
/// ``TransactionVerifier/notification(from:now:)`` makes one of the text that was posted. The store posts it again
/// until the server has answered, so a server keeps the ``id`` of those that it has worked off. They may come in
/// another order than they were signed in: of two words on one transaction the one with the later ``signedDate`` holds,
/// and a refund is no longer one when a later word takes it back.
public struct ServerNotification: Identifiable, Hashable, Sendable {
  /// The kind of event. A name that this build does not know is kept as it is.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in the notification.
    public let rawValue: String

    /// Creates a kind from a name, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A person subscribed, or subscribed again.
    public static let subscribed = Kind(rawValue: "SUBSCRIBED")
    /// A person chose another product of the group.
    public static let didChangeRenewalPreference = Kind(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// A person turned the renewal on or off.
    public static let didChangeRenewalStatus = Kind(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// A person redeemed an offer.
    public static let offerRedeemed = Kind(rawValue: "OFFER_REDEEMED")
    /// A subscription was renewed.
    public static let didRenew = Kind(rawValue: "DID_RENEW")
    /// A subscription ended.
    public static let expired = Kind(rawValue: "EXPIRED")
    /// A renewal could not be charged.
    public static let didFailToRenew = Kind(rawValue: "DID_FAIL_TO_RENEW")
    /// The time in which a person is served without having paid is over.
    public static let gracePeriodExpired = Kind(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A person was told of a higher price, or agreed to it.
    public static let priceIncrease = Kind(rawValue: "PRICE_INCREASE")
    /// A purchase was refunded.
    public static let refund = Kind(rawValue: "REFUND")
    /// A refund that the app or a person asked for was declined.
    public static let refundDeclined = Kind(rawValue: "REFUND_DECLINED")
    /// A refund was taken back: the purchase counts again.
    public static let refundReversed = Kind(rawValue: "REFUND_REVERSED")
    /// The store asks how much of a purchase was used, since a person wants a refund.
    public static let consumptionRequest = Kind(rawValue: "CONSUMPTION_REQUEST")
    /// A person bought a product that is not renewed.
    public static let oneTimeCharge = Kind(rawValue: "ONE_TIME_CHARGE")
    /// The date of a renewal was put off.
    public static let renewalExtended = Kind(rawValue: "RENEWAL_EXTENDED")
    /// The store put renewals off for many people, or failed for one of them.
    public static let renewalExtension = Kind(rawValue: "RENEWAL_EXTENSION")
    /// A purchase was taken out of Family Sharing.
    public static let revoke = Kind(rawValue: "REVOKE")
    /// The store made a token for a purchase outside of it.
    public static let externalPurchaseToken = Kind(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// The app asked for a notification, to try the way.
    public static let test = Kind(rawValue: "TEST")
  }

  /// A closer description of the event. A name that this build does not know is kept as it is.
  public struct Subtype: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in the notification.
    public let rawValue: String

    /// Creates a description from a name, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// For the first time.
    public static let initialBuy = Subtype(rawValue: "INITIAL_BUY")
    /// After an earlier subscription.
    public static let resubscribe = Subtype(rawValue: "RESUBSCRIBE")
    /// To a higher service, at once.
    public static let upgrade = Subtype(rawValue: "UPGRADE")
    /// To a lower service, at the next renewal.
    public static let downgrade = Subtype(rawValue: "DOWNGRADE")
    /// The renewal was turned on.
    public static let autoRenewEnabled = Subtype(rawValue: "AUTO_RENEW_ENABLED")
    /// The renewal was turned off.
    public static let autoRenewDisabled = Subtype(rawValue: "AUTO_RENEW_DISABLED")
    /// The person had turned the renewal off.
    public static let voluntary = Subtype(rawValue: "VOLUNTARY")
    /// The charge failed until the store gave up.
    public static let billingRetry = Subtype(rawValue: "BILLING_RETRY")
    /// An earlier charge that had failed succeeded.
    public static let billingRecovery = Subtype(rawValue: "BILLING_RECOVERY")
    /// The person did not agree to a higher price.
    public static let priceIncrease = Subtype(rawValue: "PRICE_INCREASE")
    /// The person is served meanwhile.
    public static let gracePeriod = Subtype(rawValue: "GRACE_PERIOD")
    /// The product was not sold any more.
    public static let productNotForSale = Subtype(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// The person has not answered yet.
    public static let pending = Subtype(rawValue: "PENDING")
    /// The person agreed.
    public static let accepted = Subtype(rawValue: "ACCEPTED")
    /// All renewals were put off.
    public static let summary = Subtype(rawValue: "SUMMARY")
    /// One renewal could not be put off.
    public static let failure = Subtype(rawValue: "FAILURE")
    /// The app has not reported the purchase.
    public static let unreported = Subtype(rawValue: "UNREPORTED")
  }

  /// The content, of which a notification has one.
  public enum Content: Hashable, Sendable {
    /// A purchase or a subscription.
    case data(Details)
    /// The end of a request that concerned many subscriptions.
    case summary(Summary)
    /// A token for a purchase outside of the store.
    case externalPurchaseToken(ExternalPurchaseToken)
  }

  /// The same each time that the store posts the notification.
  public let id: UUID
  /// The kind of event.
  public let kind: Kind
  /// A closer description; nil where the kind has none.
  public let subtype: Subtype?
  /// The version of the notification's form, such as `2.0`.
  public let version: String
  /// The time at which the store signed it.
  public let signedDate: Date
  /// The content.
  public let content: Content

  package let signature: SignatureRecord

  /// The payload as it was signed, in JSON.
  public var jsonRepresentation: Data { signature.document.payload }

  /// The transaction that the notification is about, verified; nil where it brings none.
  public var transaction: Transaction? {
    if case .data(let details) = content { return details.transaction }
    return nil
  }
}

extension ServerNotification {
  /// A purchase or a subscription.
  public struct Details: Hashable, Sendable {
    /// The app.
    public let bundleID: String
    /// The store's number of the app; nil in the sandbox.
    public let appAppleID: UInt64?
    /// The version of the app; nil where the store does not say it.
    public let bundleVersion: String?
    /// The environment of the purchase.
    public let environment: AppStore.Environment
    /// The state of the subscription; nil unless there is one.
    public let status: Product.SubscriptionInfo.RenewalState?
    /// The person's reason for wanting a refund; nil unless the store asks how much was used.
    public let consumptionRequestReason: String?
    /// The transaction, verified like any other; nil where there is none.
    public internal(set) var transaction: Transaction?
    /// The store's plan for the subscription, verified like any other; nil where there is none.
    public internal(set) var renewalInfo: Product.SubscriptionInfo.RenewalInfo?
  }

  /// The end of a request that concerned many subscriptions.
  public struct Summary: Hashable, Sendable {
    /// The app's own id of the request.
    public let requestID: UUID
    /// The app.
    public let bundleID: String
    /// The store's number of the app; nil in the sandbox.
    public let appAppleID: UInt64?
    /// The environment of the subscriptions.
    public let environment: AppStore.Environment
    /// The product whose renewals were put off.
    public let productID: String
    /// The regions that were asked for, in codes of three letters; empty: all.
    public let storefrontCountryCodes: [String]
    /// The number of subscriptions that were put off.
    public let succeededCount: Int
    /// The number of subscriptions that could not be put off.
    public let failedCount: Int
  }

  /// A token for a purchase outside of the store.
  public struct ExternalPurchaseToken: Hashable, Sendable {
    /// The token's id. In the sandbox it begins with `SANDBOX`.
    public let id: String
    /// The time at which the store made the token.
    public let creationDate: Date
    /// The app.
    public let bundleID: String
    /// The store's number of the app; nil in the sandbox.
    public let appAppleID: UInt64?

    /// The environment, which the id tells.
    public var environment: AppStore.Environment { id.hasPrefix("SANDBOX") ? .sandbox : .production }
  }
}
