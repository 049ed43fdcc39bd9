import AppStorePurchases
import AppStoreTesting
import AstroSvitla
import Foundation

/// What AstroSvitla costs between signed transactions and their credits: verified, committed durably under the once
/// ledger a batch at a time, told to an App Store that answers at once, and the notes dropped in a second durable
/// commit of the batch.
struct DeliveryBenchmarks {
  let bench: Workbench
  private let count = 10_000

  /// The measurements, and what a launch takes beside its bound.
  func all() async throws -> (measurements: [Measurement], ceilings: [Ceiling]) {
    let store = try await AppStoreOfTokens(in: bench.folder.appending(path: "appstore"), count: count)
    let whole = try await launches(store, count)
    let half = try await launches(store, count / 2)
    let measurements = [
      try await verification(store),
      Measurement(name: "AstroSvitla: deliver a purchase", unit: "purchase", operations: count, seconds: whole.seconds),
      whole, half,
    ]
    let ceilings = [(whole, 5_000.0), (half, 2_500)].map { launch, most in
      Ceiling(launch.name, unit: "ms", figure: launch.median * 1_000, most: most)
    }
    return (measurements, ceilings)
  }

  private func launches(_ store: AppStoreOfTokens, _ count: Int) async throws -> Measurement {
    var seconds: [Double] = []
    for run in -1..<bench.runs {
      let device = bench.folder.appending(path: "delivery-\(count)-\(run)")
      try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
      let service = PurchaseService(try AstroSvitlaStore(device: device), client: store.first(count))
      let start = ContinuousClock.now
      let report = try await service.launch(listens: false)
      let duration = ContinuousClock.now - start
      guard report.creditsDelivered == count else { throw Shortfall(delivered: report.creditsDelivered) }
      // The first warms up.
      if run >= 0 { seconds.append(duration / .seconds(1)) }
    }
    return Measurement(
      name: "AstroSvitla: launch with \(count) unfinished", unit: "launch", operations: 1, seconds: seconds)
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

/// An App Store whose unfinished transactions are signed tokens in memory, verified as the adapter for Apple's does.
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

  private init(tokens: [String], _ verifier: TransactionVerifier) {
    self.tokens = tokens
    self.verifier = verifier
  }

  /// An App Store with the first of the tokens alone.
  func first(_ count: Int) -> AppStoreOfTokens { AppStoreOfTokens(tokens: Array(tokens.prefix(count)), verifier) }

  func transactions(_ scope: TransactionScope) -> TransactionStream {
    guard scope == .unfinished else { return TransactionStream { $0.finish() } }
    let (tokens, verifier) = (tokens, verifier)
    return TransactionStream { continuation in
      Task {
        do {
          let newestFirst = Array(tokens.reversed())
          for start in stride(from: 0, to: tokens.count, by: 256) {
            let texts = Array(newestFirst[start...].prefix(256))
            for result in try await verifier.results(for: texts, now: Date()) { continuation.yield(result) }
          }
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
