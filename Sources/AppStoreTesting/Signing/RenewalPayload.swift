import AppStorePurchases
import Foundation

/// The store's plan for a subscription, with the members of Apple's `JWSRenewalInfoDecodedPayload`.
struct RenewalPayload: Codable, Hashable, Sendable {
  var originalTransactionId: String
  var productId: String
  var autoRenewProductId: String?
  var autoRenewStatus: Int
  var expirationIntent: Int?
  var isInBillingRetryPeriod: Bool?
  var gracePeriodExpiresDate: Int64?
  var offerType: Int?
  var offerIdentifier: String?
  var environment: String
  var recentSubscriptionStartDate: Int64
  var renewalDate: Int64?
  var renewalPrice: Int64?
  var currency: String?
  var signedDate: Int64
  var deviceVerification: String
  var deviceVerificationNonce: String

  init(_ subscription: LedgerSubscription, price: Decimal?, currency: String?, _ state: TokenState) {
    let isRunning = subscription.state != .expired && subscription.state != .revoked
    let nonce = state.nonce(for: "renewal \(subscription.originalNumber)")
    originalTransactionId = String(subscription.originalNumber)
    productId = subscription.productID
    autoRenewProductId = subscription.willRenew ? subscription.renewalProductID : nil
    autoRenewStatus = subscription.willRenew ? 1 : 0
    expirationIntent = subscription.expirationReason
    isInBillingRetryPeriod =
      [.inBillingRetry, .inGracePeriod].contains(subscription.state) ? true : isRunning ? nil : false
    gracePeriodExpiresDate = subscription.graceEnd?.milliseconds
    offerType = subscription.offerPeriodsLeft > 0 ? subscription.offerType : nil
    offerIdentifier = subscription.offerPeriodsLeft > 0 ? subscription.offerID : nil
    environment = AppStore.Environment.xcode.rawValue
    recentSubscriptionStartDate = subscription.startDate.milliseconds
    renewalDate = isRunning && subscription.willRenew ? subscription.expirationDate.milliseconds : nil
    renewalPrice = subscription.willRenew ? price?.thousandths : nil
    self.currency = currency
    signedDate = state.now.milliseconds
    deviceVerification = TransactionPayload.deviceVerification(nonce: nonce, device: state.device.verificationID)
    deviceVerificationNonce = nonce.uuidString.lowercased()
  }

  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}
