public import AppStorePurchases
public import Foundation
import RecordStore
public import Tandem

/// Turns paid transactions into credits, each exactly once, whatever crashes, repeats itself or comes late.
///
/// One transaction after another, each in this order (see <doc:TransactionLife>): unverified → put aside · revoked →
/// written down, finished · wrong → put aside · known → finished · else record, credits and a note "finish this" in one
/// commit under the once ledger, then finished, then the note dropped. An error before the commit means no finish: the
/// App Store delivers again. What is finished and not known here was delivered elsewhere, and is left alone.
public actor PurchaseService: ModelActor {
  public nonisolated let modelContainer: ModelContainer
  public nonisolated let modelExecutor: any ModelExecutor
  let client: any StoreClient
  let observer: StepObserver
  let now: @Sendable () -> Date
  let installationID: UUID
  let finishLimit: Duration
  let queue = DeliveryQueue()
  /// Transactions that the App Store called unfinished and that were not looked at since.
  var openKeys: Set<TransactionKey> = []
  var listener: Task<Void, Never>?
  /// What went wrong while nobody waited for it, the newest last; at most a hundred.
  public internal(set) var listenerErrors: [String] = []

  /// - Parameters:
  ///   - store: The store of purchases and credits.
  ///   - client: The App Store; it verifies what it delivers.
  ///   - observer: Hears of each step that is done.
  ///   - finishLimit: How long the App Store may take to hear that one transaction is delivered. After that the next
  ///     one is delivered, and the next launch tells it.
  ///   - now: The clock of the dates that are written down.
  public init(
    _ store: AstroSvitlaStore, client: any StoreClient, observer: StepObserver = .silent,
    finishLimit: Duration = .seconds(10), now: @escaping @Sendable () -> Date = { .now }
  ) {
    modelContainer = store.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(store.container))
    installationID = store.installation.id
    self.client = client
    self.finishLimit = finishLimit
    self.observer = observer
    self.now = now
  }

  deinit { listener?.cancel() }
}

// Buying.
extension PurchaseService {
  /// The app's products in the account's storefront, the smallest first. What the region does not sell is absent.
  public func products() async throws -> [Product] {
    try await client.products(for: CreditProduct.ids).sorted { left, right in
      let (one, other) = (
        CreditProduct(rawValue: left.id)?.credits ?? 0, CreditProduct(rawValue: right.id)?.credits ?? 0
      )
      return one < other
    }
  }

  /// Buys, delivers, finishes.
  ///
  /// - Throws: `productUnavailable`, `purchasesTurnedOff`, `verificationFailed` (put aside), `StoreKitError`,
  ///   `Product.PurchaseError`, errors of the store. After a throw something may have been paid;
  ///   ``launch(listens:)`` or the listener delivers it.
  public func buy(
    _ product: CreditProduct, quantity: Int = 1, options: Set<Product.PurchaseOption> = []
  ) async throws -> PurchaseOutcome {
    guard client.canMakePayments else {
      throw AstroSvitlaError(
        .purchasesTurnedOff, "purchases are turned off for this person: allow them in the system's settings",
        ukrainian: "покупки для цієї особи вимкнено: дозвольте їх у параметрах системи")
    }
    guard let offered = try await client.products(for: [product.rawValue]).first else {
      throw AstroSvitlaError(
        .productUnavailable, "this App Store region does not sell the product: see astrosvitla products",
        ukrainian: "у цьому регіоні App Store такого продукту не продають: див. astrosvitla products")
    }
    let wishes = options.union([.quantity(quantity), .appAccountToken(installationID)])
    let result: Product.PurchaseResult
    do {
      result = try await client.purchase(PurchaseRequest(offered, options: wishes))
    } catch StoreKitError.userCancelled {
      return .cancelled
    }
    switch result {
    case .userCancelled: return .cancelled
    case .pending: return .pending
    case .success(let signed):
      observer.reached(.purchaseReturned)
      return try await completed(signed)
    }
  }

  private func completed(_ signed: VerificationResult<Transaction>) async throws -> PurchaseOutcome {
    let delivery = try await deliver(signed, by: .purchase)
    if case .quarantined(let reason) = delivery.outcome {
      throw AstroSvitlaError(
        .verificationFailed, "the purchase could not be verified (\(reason)): it is kept aside, ask for help",
        ukrainian:
          "покупку не вдалося перевірити (\(reason.name(in: .ukrainian))): її відкладено, зверніться по допомогу",
        cause: signed.verificationFailure.map { "\($0)" })
    }
    return .completed(delivery.outcome, isFinished: delivery.finishError == nil)
  }
}
