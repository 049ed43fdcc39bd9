public import AppStorePurchases
public import Foundation
import RecordStore
public import Tandem

/// Turns paid transactions into credits, each exactly once, whatever crashes, repeats itself or comes late.
///
/// One transaction after another, each in this order (see <doc:TransactionLife>): unverified → put aside · revoked →
/// written down, finished · wrong → put aside · known → finished · else record, credits and a note "finish this" in one
/// commit under the once ledger, then finished, then the note dropped. An error before the commit means no finish: the
/// App Store delivers again.
public actor PurchaseService: ModelActor {
  public nonisolated let modelContainer: ModelContainer
  public nonisolated let modelExecutor: any ModelExecutor
  let client: any StoreClient
  let observer: StepObserver
  let now: @Sendable () -> Date
  private let accountToken: UUID
  private let queue = DeliveryQueue()
  private var listener: Task<Void, Never>?
  /// What went wrong while nobody waited for it, the newest last; at most a hundred.
  public internal(set) var listenerErrors: [String] = []

  /// - Parameters:
  ///   - store: The store of purchases and credits.
  ///   - client: The App Store; it verifies what it delivers.
  ///   - observer: Hears of each step that is done.
  ///   - now: The clock of the dates that are written down.
  public init(
    _ store: AstroSvitlaStore, client: any StoreClient, observer: StepObserver = .silent,
    now: @escaping @Sendable () -> Date = { .now }
  ) {
    modelContainer = store.container
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(store.container))
    accountToken = store.installation.id
    self.client = client
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
        .purchasesTurnedOff, "purchases are turned off for this person: allow them in the system's settings")
    }
    guard let offered = try await client.products(for: [product.rawValue]).first else {
      throw AstroSvitlaError(
        .productUnavailable, "this App Store region does not sell the product: see astrosvitla products")
    }
    let wishes = options.union([.quantity(quantity), .appAccountToken(accountToken)])
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
        cause: signed.verificationFailure.map { "\($0)" })
    }
    return .completed(delivery.outcome, isFinished: delivery.finishError == nil)
  }
}

// Delivering.
extension PurchaseService {
  /// An outcome, and why the App Store could not be told, if it could not.
  struct Delivery: Sendable {
    var outcome: DeliveryOutcome
    var finishError: (any Error)?
  }

  /// Takes one transaction through. Others wait until it is done.
  ///
  /// Throws what keeps it from being decided or committed; it stays unfinished then.
  func deliver(
    _ signed: VerificationResult<Transaction>, by path: DeliveryPath, isRestoring: Bool = false
  ) async throws -> Delivery {
    try await queue.run { try await self.process(signed, path, isRestoring) }
  }

  private func process(
    _ signed: VerificationResult<Transaction>, _ path: DeliveryPath, _ isRestoring: Bool
  ) async throws -> Delivery {
    guard case .verified(let transaction) = signed else {
      try quarantine(QuarantineEntry(unverified: signed))
      return Delivery(outcome: .quarantined(.unverified))
    }
    let paid = PaidTransaction(transaction, signedText: signed.jwsRepresentation)
    observer.reached(paid.revocation == nil ? .verified : .revocationVerified)
    guard let outcome = try commit(paid, path, isRestoring) else {
      return Delivery(outcome: .known(paid.key), finishError: try await finish(transaction, paid.key))
    }
    if case .quarantined = outcome { return Delivery(outcome: outcome) }
    return Delivery(outcome: outcome, finishError: try await finish(transaction, paid.key))
  }

  /// Everything about a transaction that is stored, in one commit. Nil when there is nothing to store.
  private func commit(_ paid: PaidTransaction, _ path: DeliveryPath, _ isRestoring: Bool) throws -> DeliveryOutcome? {
    let record = try modelContext.purchase(paid.key)
    switch DeliveryDecision(paid, known: record?.state) {
    case .finish: return nil
    case .quarantine(let reason):
      try quarantine(QuarantineEntry(paid, reason))
      return .quarantined(reason)
    case .revoke(let credits):
      let isNew = try revoke(paid, record, credits, path, isRestoring)
      return isNew ? .revoked(paid.key, used: try modelContext.creditLedger().usedCount(of: paid.key.text)) : nil
    case .restore(let credits):
      try record.map { try restore(paid, $0, credits) }
      return .restored(paid.key)
    case .deliver(let credits):
      let isNew = try grant(paid, credits, path, isRestoring)
      return isNew ? .delivered(paid.key, credits: credits) : nil
    }
  }

  private func revoke(
    _ paid: PaidTransaction, _ record: PurchaseRecord?, _ credits: Int, _ path: DeliveryPath, _ isRestoring: Bool
  ) throws -> Bool {
    guard let record else { return try grant(paid, credits, path, isRestoring) }
    try modelContext.commit { record.noteRevocation(of: paid) }
    return true
  }

  private func restore(_ paid: PaidTransaction, _ record: PurchaseRecord, _ credits: Int) throws {
    guard record.creditsGranted < credits else {
      return try modelContext.commit { record.noteRevocation(of: paid) }
    }
    let outcome = try modelContext.transaction(once: paid.key.onceKey + "/credits") {
      record.noteRevocation(of: paid)
      for ordinal in record.grant(upTo: credits) { modelContext.insert(PurchaseCredit(ordinal, of: record)) }
    }
    // Another device gave the credits; the mark may still stand here.
    if outcome == .alreadyDone { try modelContext.commit { record.noteRevocation(of: paid) } }
  }

  /// Record, credits and note in one commit, once for ever. False when it was done before, here or elsewhere.
  private func grant(_ paid: PaidTransaction, _ credits: Int, _ path: DeliveryPath, _ isRestoring: Bool) throws -> Bool
  {
    let date = now()
    let aside = try [paid.key.text, QuarantineEntry.unverifiedKey(paid.key)].compactMap { key in
      try modelContext.quarantined(key)
    }
    let outcome = try modelContext.transaction(once: paid.key.onceKey) {
      let record = PurchaseRecord(paid, credits: credits, delivery: path, at: date, isRestored: isRestoring)
      modelContext.insert(record)
      for ordinal in 0..<credits { modelContext.insert(PurchaseCredit(ordinal, of: record)) }
      modelContext.insert(FinishNote(paid.key, createdAt: date))
      for entry in aside { modelContext.delete(entry) }
      observer.reached(.delivering)
    }
    return outcome == .performed
  }

  private func quarantine(_ entry: QuarantineEntry) throws {
    let known = try modelContext.quarantined(entry.key)
    try modelContext.commit {
      if let known { known.note(entry) } else { modelContext.insert(QuarantinedTransaction(entry, at: now())) }
    }
  }

  /// Tells the App Store, then drops the note. Returns the App Store's error; the note stays then, and the next launch
  /// tells it again.
  private func finish(_ transaction: Transaction, _ key: TransactionKey) async throws -> (any Error)? {
    observer.reached(.delivered)
    do {
      try await client.finish(transaction)
    } catch {
      return error
    }
    observer.reached(.finished)
    try dropNote(key)
    observer.reached(.settled)
    return nil
  }

  /// In one commit with the date; nothing is written where both are done.
  @discardableResult
  func dropNote(_ key: TransactionKey) throws -> Bool {
    let text = key.text
    let note = try modelContext.first(#Predicate<FinishNote> { $0.transactionKey == text })
    let record = try modelContext.purchase(key)
    guard note != nil || record.map({ $0.finishedAt == nil }) ?? false else { return false }
    try modelContext.commit {
      record?.noteFinished(at: now())
      if let note { modelContext.delete(note) }
    }
    return note != nil
  }
}

// Listening.
extension PurchaseService {
  /// Delivers what the App Store reports from this moment on, until this service goes away. Calling it again does
  /// nothing.
  ///
  /// The listening task does not keep the service: it holds it only while a transaction is delivered. If the App Store
  /// fails, it listens anew after a second; what could not be delivered comes again at the next ``launch(listens:)``.
  public func listen() {
    guard listener == nil else { return }
    listener = Task { [weak self, client] in
      while !Task.isCancelled {
        do {
          for try await signed in client.transactionUpdates() {
            guard let service = self else { return }
            _ = try await service.deliver(signed, by: .updates)
          }
          try await Task.sleep(for: .seconds(1))
        } catch is CancellationError {
          return
        } catch {
          guard let service = self else { return }
          await service.note(error)
        }
      }
    }
  }
}
