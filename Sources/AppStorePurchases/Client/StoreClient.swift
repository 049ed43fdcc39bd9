public import Foundation

/// The elements of ``Transaction/Transactions`` as a client delivers them. It may make each one when it is asked for.
public typealias TransactionStream = AsyncThrowingStream<VerificationResult<Transaction>, any Error>

/// The App Store behind the StoreKit-shaped types: a local one (`AppStoreTesting`), or Apple's.
///
/// ```swift
/// func count(_ scope: TransactionScope, by client: any StoreClient) async throws -> Int {
///   var count = 0
///   for try await result in client.transactions(scope) where (try? result.payloadValue) != nil { count += 1 }
///   return count
/// }
/// let credits = try await count(.history(productID: "com.example.stars.credit"), by: phone)
/// ```
///
/// Connect one with ``AppStore/connect(to:)``; a test runs with its own through ``AppStore/withClient(_:operation:)``.
/// All members may be called from any task at once. Errors should be ``StoreKitError`` or ``Product/PurchaseError``,
/// which is what code written for StoreKit expects; any other is passed on as it is.
///
/// The client verifies: each ``VerificationResult`` comes from a ``TransactionVerifier`` whose configuration the client
/// was made with, never from the token.
public protocol StoreClient: Sendable {
  /// The products of these identifiers in the account's storefront and language. Unknown identifiers are absent, in
  /// no order.
  ///
  /// - Throws: ``StoreKitError``, or another error of the client.
  func products(for identifiers: Set<String>) async throws -> [Product]

  /// Buys. The transaction of a success is also among the unfinished ones until ``finish(_:)``.
  ///
  /// - Throws: ``StoreKitError`` or ``Product/PurchaseError``, or another error of the client. Nothing was paid, or it
  ///   arrives later.
  func purchase(_ request: PurchaseRequest) async throws -> Product.PurchaseResult

  /// A snapshot of the account's transactions, the newest purchase first; ends after the last.
  func transactions(_ scope: TransactionScope) -> TransactionStream

  /// The changes from this moment on, on any device of the account, preceded by a replay of the unfinished
  /// transactions, once for the first listener after launch. Ends with the listening task.
  func transactionUpdates() -> TransactionStream

  /// The newest transaction of a product, finished or not, refunded or not; nil when there is none.
  ///
  /// - Throws: ``StoreKitError``, or another error of the client.
  func latestTransaction(for productID: String) async throws -> VerificationResult<Transaction>?

  /// Takes the transaction off the unfinished ones. Finishing one that is finished is not an error.
  ///
  /// - Throws: ``StoreKitError``, or another error of the client. The finish may be recorded all the same.
  func finish(_ transaction: Transaction) async throws

  /// Brings the account's transactions up to date, after asking the person.
  ///
  /// - Throws: ``StoreKitError``, or another error of the client.
  func sync() async throws

  /// Whether the person may pay at all (parental controls, management profiles).
  var canMakePayments: Bool { get }

  /// The id with which the store's signatures bind a transaction to this device; nil where there is none.
  var deviceVerificationID: UUID? { get }

  /// The account's storefront; nil where the store knows none.
  ///
  /// - Throws: ``StoreKitError``, or another error of the client.
  func currentStorefront() async throws -> Storefront?

  /// The storefront each time it changes, from this moment on.
  func storefrontUpdates() -> AsyncStream<Storefront>

  /// One status for each family member with a subscription of the group, also one that is over.
  ///
  /// - Throws: ``StoreKitError``, or another error of the client.
  func subscriptionStatuses(groupID: String) async throws -> [Product.SubscriptionInfo.Status]

  /// Each status that changes, from this moment on.
  func subscriptionStatusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status>

  /// Whether the account never used an introductory offer of the group.
  ///
  /// - Throws: ``StoreKitError``, or another error of the client.
  func isEligibleForIntroductoryOffer(groupID: String) async throws -> Bool

  /// Asks for the person's money back. The refund itself arrives through the updates.
  ///
  /// - Throws: ``Transaction/RefundRequestError`` or ``StoreKitError``, or another error of the client.
  func beginRefundRequest(transactionID: UInt64) async throws -> Transaction.RefundRequestStatus
}

/// Which of an account's transactions are meant.
public enum TransactionScope: Hashable, Sendable {
  /// The whole history. Consumables are in it while unfinished and when refunded, and after they are finished if the
  /// store keeps them (`SKIncludeConsumableInAppPurchaseHistory`); a local store does.
  case all
  /// The transactions that the app has not finished, consumables among them.
  case unfinished
  /// The transactions that let the person use something now: never a consumable, nothing revoked, nothing expired.
  case currentEntitlements
  /// ``currentEntitlements`` of one product.
  case currentEntitlement(productID: String)
  /// ``all`` of one product.
  case history(productID: String)
}
