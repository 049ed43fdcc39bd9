public import AppStorePurchases
public import Foundation
import StoreKit

/// Apple's App Store behind the StoreKit-shaped types: what an app connects on Apple's systems, where its code says
/// `import AppStorePurchases`.
///
/// ```swift
/// let client = AppleStoreClient(verifier: TransactionVerifier(configuration))
/// ```
/// Give it to `AppStore.connect(to:)` once, at the launch.
///
/// Transactions are verified once more, by the app's own verifier on the signed text, so that an app decides
/// by one rule on every system. Safe from any task.
///
/// The same source is compiled on Linux against the `StoreKit` shim, which shows that it fits; there it hands through
/// to the client that is connected.
///
/// Not passed on: offers, which a purchase refuses with `unsupported`, and refund requests, which need a window.
public struct AppleStoreClient: StoreClient {
  let verifier: TransactionVerifier
  let unfinished = UnfinishedTransactions()

  /// A client that verifies by the app's own rule.
  public init(verifier: TransactionVerifier) {
    self.verifier = verifier
  }

  /// The products of these identifiers, as StoreKit has them.
  /// - Throws: `StoreKitError`.
  public func products(for identifiers: Set<String>) async throws -> [AppStorePurchases.Product] {
    try await translating { try await StoreKit.Product.products(for: identifiers).map { $0.translated } }
  }

  /// The products are loaded again, for a purchase takes StoreKit's own.
  public func purchase(
    _ request: PurchaseRequest
  ) async throws -> AppStorePurchases.Product.PurchaseResult {
    guard request.offer == nil else { throw AppStorePurchases.StoreKitError.unsupported }
    return try await translating {
      guard let product = try await StoreKit.Product.products(for: [request.product.id]).first else {
        throw AppStorePurchases.Product.PurchaseError.productUnavailable
      }
      let result = try await product.purchase(options: request.appleOptions)
      if case .success(let transaction) = result { return .success(try await verified(transaction.jwsRepresentation)) }
      if case .userCancelled = result { return .userCancelled }
      return .pending
    }
  }

  /// The newest transaction of a product, verified once more; nil when there is none.
  /// - Throws: `VerificationFailure` for a text that is no token at all.
  public func latestTransaction(
    for productID: String
  ) async throws -> AppStorePurchases.VerificationResult<AppStorePurchases.Transaction>? {
    guard let found = await StoreKit.Transaction.latest(for: productID) else { return nil }
    return try await verified(found.jwsRepresentation)
  }

  /// Looks the transaction up among the unfinished ones, unless this client has listed it as one; one that is not there
  /// is finished already.
  public func finish(_ transaction: AppStorePurchases.Transaction) async throws {
    if let known = unfinished.take(transaction.id) { return await known.finish() }
    for await found in StoreKit.Transaction.unfinished where found.unsafePayloadValue.id == transaction.id {
      return await found.unsafePayloadValue.finish()
    }
  }

  /// Brings the transactions up to date; StoreKit asks the person to sign in.
  /// - Throws: `StoreKitError`.
  public func sync() async throws {
    try await translating { try await StoreKit.AppStore.sync() }
  }

  /// Whether the person may pay, as StoreKit answers.
  public var canMakePayments: Bool { StoreKit.AppStore.canMakePayments }

  /// StoreKit's id of this device; nil where it has none.
  public var deviceVerificationID: UUID? { StoreKit.AppStore.deviceVerificationID }

  /// Refuses: Apple's request needs a window.
  /// - Throws: `StoreKitError.unsupported`, always.
  public func beginRefundRequest(
    transactionID: UInt64
  ) async throws -> AppStorePurchases.Transaction.RefundRequestStatus {
    throw AppStorePurchases.StoreKitError.unsupported
  }

  func verified(
    _ text: String
  ) async throws -> AppStorePurchases.VerificationResult<AppStorePurchases.Transaction> {
    try await verifier.result(for: text, now: Date())
  }

  func verifiedRenewal(
    _ text: String
  ) async throws -> AppStorePurchases.VerificationResult<AppStorePurchases.Product.SubscriptionInfo.RenewalInfo> {
    try await verifier.renewalResult(for: text, now: Date())
  }
}
