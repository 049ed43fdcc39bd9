import AppStorePurchases
public import Foundation
public import Tandem

/// A word of the App Store about what comes after the paid time of a plan, as it was signed. Notices are only added,
/// and the one that was signed last holds, in whatever order devices heard and merged them.
@Model
public final class PlanNotice {
  #Unique<PlanNotice>([\.originalKey, \.signedAt])
  /// The subscription: the text of the ``TransactionKey`` of its first transaction.
  public private(set) var originalKey: String
  /// When the App Store said so.
  public private(set) var signedAt: Date
  /// Whether it is going to renew the plan.
  public private(set) var willRenew: Bool
  /// How long the person is served without having paid; nil where there is no such time.
  public private(set) var graceEndsAt: Date?

  init(_ renewal: Product.SubscriptionInfo.RenewalInfo, bundleID: String) {
    originalKey =
      TransactionKey(
        environment: renewal.environment.rawValue, bundleID: bundleID, transactionID: renewal.originalTransactionID
      ).text
    signedAt = renewal.signedDate
    willRenew = renewal.willAutoRenew
    graceEndsAt = renewal.gracePeriodExpirationDate
  }

  /// Whether it says something else than an earlier word; the App Store signs each answer anew.
  func isNews(after last: PlanNotice) -> Bool {
    last.signedAt < signedAt && (last.willRenew, last.graceEndsAt) != (willRenew, graceEndsAt)
  }
}
