import AppStorePurchases
import AppStoreTesting
import Foundation

/// An App Store of a test that does some things in its own way, and all others as a local one does. What deliveries do
/// not ask answers with nothing.
protocol ForwardingClient: StoreClient {
  var base: LocalStoreClient { get }
}

extension ForwardingClient {
  func products(for identifiers: Set<String>) async throws -> [Product] { try await base.products(for: identifiers) }
  func purchase(_ request: PurchaseRequest) async throws -> Product.PurchaseResult { try await base.purchase(request) }
  func transactions(_ scope: TransactionScope) -> TransactionStream { base.transactions(scope) }
  func transactionUpdates() -> TransactionStream { base.transactionUpdates() }
  func latestTransaction(for productID: String) async throws -> VerificationResult<Transaction>? { nil }
  func sync() async throws { try await base.sync() }
  var canMakePayments: Bool { true }
  var deviceVerificationID: UUID? { base.deviceVerificationID }
  func currentStorefront() async throws -> Storefront? { nil }
  func storefrontUpdates() -> AsyncStream<Storefront> { base.storefrontUpdates() }
  func subscriptionStatuses(groupID: String) async throws -> [Product.SubscriptionInfo.Status] { [] }
  func subscriptionStatusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status> { base.subscriptionStatusUpdates() }
  func isEligibleForIntroductoryOffer(groupID: String) async throws -> Bool { false }
  func beginRefundRequest(transactionID: UInt64) async throws -> Transaction.RefundRequestStatus { .userCancelled }
}
