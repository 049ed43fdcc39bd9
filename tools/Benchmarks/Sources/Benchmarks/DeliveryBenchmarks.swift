import AppStorePurchases
import AppStoreTesting
import AstroSvitla
import Foundation

/// What AstroSvitla costs between a signed transaction and its credits: verified, committed durably under the once
/// ledger, told to an App Store that answers at once, and the note dropped in a second durable commit.
struct DeliveryBenchmarks {
  let bench: Workbench
  /// Unfinished transactions that a launch finds: a twentieth of `--records`, so 200,000 for ten thousand.
  let count: Int

  func all() async throws -> [Measurement] {
    let store = try await AppStoreOfTokens(in: bench.folder.appending(path: "appstore"), count: count)
    let verification = try await verification(store)
    var seconds: [Double] = []
    for run in -1..<bench.runs {
      let device = bench.folder.appending(path: "delivery-\(run)")
      try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
      let service = PurchaseService(try AstroSvitlaStore(device: device), client: store)
      let start = ContinuousClock.now
      let report = try await service.launch(listens: false)
      let duration = ContinuousClock.now - start
      guard report.creditsDelivered == count else { throw Shortfall(delivered: report.creditsDelivered) }
      // The first warms up.
      if run >= 0 { seconds.append(duration / .seconds(1)) }
    }
    return [
      verification,
      Measurement(name: "AstroSvitla: deliver a purchase", unit: "purchase", operations: count, seconds: seconds),
      Measurement(
        name: "AstroSvitla: launch with \(count) unfinished", unit: "launch", operations: 1, seconds: seconds),
    ]
  }

  /// The thirteen steps for each token: three checks of signatures and the reading of two certificates.
  private func verification(_ store: AppStoreOfTokens) async throws -> Measurement {
    var seconds: [Double] = []
    for run in -1..<bench.runs {
      let start = ContinuousClock.now
      var verified = 0
      for try await case .verified in store.transactions(.unfinished) { verified += 1 }
      guard verified == count else { throw Shortfall(delivered: verified) }
      if run >= 0 { seconds.append((ContinuousClock.now - start) / .seconds(1)) }
    }
    return Measurement(name: "verify a signed transaction", unit: "token", operations: count, seconds: seconds)
  }

  private struct Shortfall: Error {
    var delivered: Int
  }
}

/// An App Store whose unfinished transactions are signed tokens in memory; each is verified when it is handed out.
private struct AppStoreOfTokens: StoreClient {
  private let tokens: [String]
  private let verifier: TransactionVerifier

  init(in folder: URL, count: Int) async throws {
    var options = LocalAppStore.Options()
    options.durability = .unsafeNoFlush
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let appStore = try await LocalAppStore.open(at: folder, bundleID: CreditProduct.bundleID, options: options)
    try await appStore.addAccount("me")
    try await appStore.setProducts(storeKitFile: CreditProduct.storeKitFile)
    let client = try await appStore.launch(account: "me", device: "phone")
    var tokens: [String] = []
    for _ in 0..<count {
      let id = try await appStore.buy(CreditProduct.single.rawValue, for: "me")
      tokens.append(try await appStore.signedTransaction(id, device: "phone"))
    }
    self.tokens = tokens
    verifier = TransactionVerifier(try await client.verifierConfiguration())
  }

  func transactions(_ scope: TransactionScope) -> TransactionStream {
    guard scope == .unfinished else { return TransactionStream { $0.finish() } }
    let (tokens, verifier) = (tokens, verifier)
    return TransactionStream { continuation in
      Task {
        do {
          for token in tokens.reversed() { continuation.yield(try await verifier.result(for: token, now: .now)) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
  }

  func finish(_ transaction: Transaction) async throws {}
  func sync() async throws {}
  func products(for identifiers: Set<String>) async throws -> [Product] { [] }
  func purchase(_ request: PurchaseRequest) async throws -> Product.PurchaseResult { .userCancelled }
  func transactionUpdates() -> TransactionStream { TransactionStream { $0.finish() } }
  func latestTransaction(for productID: String) async throws -> VerificationResult<Transaction>? { nil }
  var canMakePayments: Bool { true }
  var deviceVerificationID: UUID? { nil }
  func currentStorefront() async throws -> Storefront? { nil }
  func storefrontUpdates() -> AsyncStream<Storefront> { AsyncStream { $0.finish() } }
  func subscriptionStatuses(groupID: String) async throws -> [Product.SubscriptionInfo.Status] { [] }
  func subscriptionStatusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status> { AsyncStream { $0.finish() } }
  func isEligibleForIntroductoryOffer(groupID: String) async throws -> Bool { false }
  func beginRefundRequest(transactionID: UInt64) async throws -> Transaction.RefundRequestStatus { .userCancelled }
}
