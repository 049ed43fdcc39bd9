/// A call of an app to the App Store, for faults that shall hit it.
public enum StoreCall: String, CaseIterable, Hashable, Sendable {
  /// `Product.products(for:)`.
  case products
  /// `Product.purchase(options:)`.
  case purchase
  /// `Transaction.finish()`.
  case finish
  /// `AppStore.sync()`.
  case sync
  /// `Transaction.updates`.
  case updates
  /// `Transaction.unfinished`.
  case unfinished
  /// `Transaction.all`, of one product or of all.
  case history
  /// `Transaction.currentEntitlements`, of one product or of all.
  case currentEntitlements
  /// `Transaction.latest(for:)`.
  case latestTransaction
  /// `Storefront.current`.
  case storefront
  /// `Product.SubscriptionInfo.status`.
  case subscriptionStatus
  /// `Product.SubscriptionInfo.isEligibleForIntroOffer`.
  case introductoryOfferEligibility
  /// `Transaction.beginRefundRequest(for:)`.
  case refundRequest
}
