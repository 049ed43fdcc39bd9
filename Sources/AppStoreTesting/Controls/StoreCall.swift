/// A call of an app to the App Store, for faults that shall hit it.
public enum StoreCall: String, CaseIterable, Hashable, Sendable {
  case products
  case purchase
  case finish
  case sync
  case updates
  case unfinished
  /// `Transaction.all`, of one product or of all.
  case history
  case currentEntitlements
  case latestTransaction
  case storefront
  case subscriptionStatus
  case introductoryOfferEligibility
  case refundRequest
}
