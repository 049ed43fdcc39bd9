public import AppStorePurchases
public import Foundation
import LocalizedTexts
import RecordStore
public import Tandem

/// Turns paid transactions into credits, each exactly once, whatever crashes, repeats itself or comes late.
///
/// One transaction after another, each in this order (see <doc:TransactionLife>): unverified → put aside · revoked →
/// written down, finished · wrong → put aside · known → finished · else record, credits and a note "finish this" in one
/// commit under the once ledger, then finished, then the note dropped. An error before the commit means no finish: the
/// App Store delivers again. What is finished and not known here was delivered elsewhere, and is left alone.
public actor PurchaseService: ModelActor {
  /// The container of the store.
  public nonisolated let modelContainer: ModelContainer
  /// Runs the service's work one piece after another.
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
  var planListener: Task<Void, Never>?
  /// Takes up again what could not be done, until nothing is left; see ``takeUpLater()``.
  var resumption: Task<Void, Never>?
  /// Whether something could not be done since it was last taken up.
  var leavesUndone = false
  /// What went wrong while nobody waited for it, the newest last; at most a hundred.
  public internal(set) var listenerErrors: [String] = []

  /// - Parameters:
  ///   - store: The store of purchases and credits.
  ///   - client: The App Store; it verifies what it delivers.
  ///   - observer: Hears of each step that is done.
  ///   - finishLimit: How long the App Store may take to hear that one transaction is delivered. After that the next
  ///     one is delivered, and it is told again while the service listens, or at the next launch.
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

  deinit {
    listener?.cancel()
    planListener?.cancel()
    resumption?.cancel()
  }
}

// Buying.
extension PurchaseService {
  /// The products that bring credits in the account's storefront, the smallest first. What the region does not sell is
  /// absent, and so is what the App Store sells as another type than a consumable.
  public func products() async throws -> [Product] {
    try await client.products(for: CreditProduct.ids).filter { $0.type == .consumable }.sorted { left, right in
      let (one, other) = (
        CreditProduct(rawValue: left.id)?.credits ?? 0, CreditProduct(rawValue: right.id)?.credits ?? 0
      )
      return one < other
    }
  }

  /// The plans in the account's storefront. What the region does not sell is absent.
  public func plans() async throws -> [Product] {
    try await client.products(for: PlanProduct.ids).filter { $0.type == .autoRenewable }
  }

  /// Buys, delivers, finishes.
  ///
  /// - Throws: `productUnavailable`, `incorrectProductType`, `purchasesTurnedOff`, `verificationFailed` (put aside),
  ///   `StoreKitError`, `Product.PurchaseError`, errors of the store. After a throw something may have been paid; a
  ///   service that listens delivers it as soon as that can be done, and so does ``launch(listens:)``.
  public func buy(
    _ product: CreditProduct, quantity: Int = 1, options: Set<Product.PurchaseOption> = []
  ) async throws -> PurchaseOutcome {
    try await buy(product.rawValue, product.type, options.union([.quantity(quantity)]))
  }

  /// Subscribes to a plan, which the App Store renews until the person ends it. Throws as
  /// ``buy(_:quantity:options:)`` does.
  public func subscribe(
    to plan: PlanProduct = .monthly, options: Set<Product.PurchaseOption> = []
  ) async throws -> PurchaseOutcome {
    let outcome = try await buy(plan.rawValue, .autoRenewable, options)
    if case .completed = outcome { await hearOfRenewal() }
    return outcome
  }

  /// What comes after the time that is paid now. It is paid whether or not the App Store says so: an error is one that
  /// nobody waits for, and the App Store is asked again later.
  private func hearOfRenewal() async {
    do {
      for status in try await client.subscriptionStatuses(groupID: PlanProduct.groupID) { try note(status) }
    } catch {
      note(error)
      takeUpLater()
    }
  }

  /// How the plan stands by what this device has heard. Throws what reading the store throws.
  public func planStanding() throws -> PlanStanding { try modelContext.planStanding(at: now()) }

  private func buy(
    _ id: String, _ type: Product.ProductType, _ options: Set<Product.PurchaseOption>
  ) async throws -> PurchaseOutcome {
    guard client.canMakePayments else { throw AstroSvitlaError(.purchasesTurnedOff, .purchasesOff) }
    guard let offered = try await client.products(for: [id]).first else {
      throw AstroSvitlaError(.productUnavailable, .notSoldHere)
    }
    guard offered.type == type else { throw AstroSvitlaError(.incorrectProductType, .incorrectType, .text(id)) }
    let wishes = options.union([.appAccountToken(installationID)])
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
        .verificationFailed, .purchaseNotVerified, .sentence(reason.sentence),
        cause: signed.verificationFailure.map { "\($0)" })
    }
    return .completed(delivery.outcome, isFinished: delivery.finishError == nil)
  }
}
