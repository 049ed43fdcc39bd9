import AppStorePurchases
import Foundation
import Tandem

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
  func deliver(_ signed: VerificationResult<Transaction>, by path: DeliveryPath) async throws -> Delivery {
    try await queue.run { try await self.process(signed, path) }
  }

  private func process(_ signed: VerificationResult<Transaction>, _ path: DeliveryPath) async throws -> Delivery {
    guard case .verified(let transaction) = signed else {
      try quarantine(QuarantineEntry(unverified: signed))
      return Delivery(outcome: .quarantined(.unverified))
    }
    let paid = PaidTransaction(transaction, signedText: signed.jwsRepresentation)
    observer.reached(paid.revocation == nil ? .verified : .revocationVerified)
    if try await isDeliveredElsewhere(paid, path) {
      try hear(paid, by: nil)
      return Delivery(outcome: .known(paid.key))
    }
    guard let outcome = try commit(paid, path) else {
      return Delivery(outcome: .known(paid.key), finishError: try await finish(transaction, paid.key))
    }
    if case .quarantined = outcome { return Delivery(outcome: outcome) }
    return Delivery(outcome: outcome, finishError: try await finish(transaction, paid.key))
  }

  /// Whether it is finished and not known here: another device delivered it, or this one before it was set up anew.
  /// Its credits come by synchronising. To deliver it again would give back what was spent.
  private func isDeliveredElsewhere(_ paid: PaidTransaction, _ path: DeliveryPath) async throws -> Bool {
    // A plan is no consumable: every device of the account has it, and nothing can be given twice.
    if path == .purchase || paid.plan != nil { return false }
    if try isProcessed(paid.key) { return false }
    if openKeys.remove(paid.key) != nil { return false }
    openKeys = Self.keys(of: try await transactions(.unfinished))
    return openKeys.remove(paid.key) == nil
  }

  static func keys(of signed: [VerificationResult<Transaction>]) -> Set<TransactionKey> {
    Set(
      signed.compactMap { result in
        guard case .verified(let transaction) = result else { return nil }
        return PaidTransaction(transaction, signedText: "").key
      })
  }

  /// Everything about a transaction that is stored. Nil when there is nothing new.
  private func commit(_ paid: PaidTransaction, _ path: DeliveryPath) throws -> DeliveryOutcome? {
    let record = try modelContext.purchase(paid.key)
    let known = try record.map { _ in try modelContext.lastRevocation(of: paid.key)?.state ?? .init() }
    switch DeliveryDecision(paid, known: known) {
    case .finish:
      // Another process of this device may have found it unfinished, and been faster than its own purchase.
      if path == .purchase { try hear(paid, by: path) }
      return nil
    case .quarantine(let reason):
      try quarantine(QuarantineEntry(paid, reason))
      return .quarantined(reason)
    case .revoke(let credits):
      try hear(paid, by: record == nil ? path : nil)
      if record == nil { _ = try grant(paid, credits) }
      return .revoked(paid.key, used: try modelContext.creditLedger().usedCount(of: paid.key.text))
    case .restore(let credits):
      try hear(paid, by: nil)
      if let record { try grantMissing(paid, record, credits) }
      return .restored(paid.key)
    case .deliver(let credits):
      try hear(paid, by: path)
      guard try grant(paid, credits) else { return nil }
      guard let end = paid.expiresAt else { return .delivered(paid.key, credits: credits) }
      return .subscribed(paid.key, until: end)
    }
  }

  /// Writes down how the transaction arrived here, and what the App Store says about a refund if that is new. Both are
  /// facts that hold whatever becomes of the delivery, so they are committed before it.
  private func hear(_ paid: PaidTransaction, by path: DeliveryPath?) throws {
    let last = try modelContext.lastRevocation(of: paid.key)
    let isNews = last?.revokedAt != paid.revocation?.date && last.map { $0.signedAt < paid.signedAt } ?? true
    let arrival = try path.map { _ in try modelContext.arrival(paid.key, installationID) } ?? nil
    let isArrival = path.map { $0 != arrival?.path } ?? false
    guard isNews || isArrival else { return }
    try modelContext.commitRacing {
      if isNews, try modelContext.lastRevocation(of: paid.key)?.signedAt != paid.signedAt {
        modelContext.insert(RevocationNotice(paid))
      }
      if let path, isArrival { try note(paid.key, path) }
    }
  }

  private func note(_ key: TransactionKey, _ path: DeliveryPath) throws {
    if let known = try modelContext.arrival(key, installationID) {
      known.note(path, at: now())
    } else {
      modelContext.insert(PurchaseArrival(key, installationID: installationID, path: path, at: now()))
    }
  }

  /// Record, credits and note in one commit, once for ever. False when it was done before, here or elsewhere.
  private func grant(_ paid: PaidTransaction, _ credits: Int) throws -> Bool {
    let aside = try [paid.key.text, QuarantineEntry.unverifiedKey(paid.key)].compactMap { key in
      try modelContext.quarantined(key)
    }
    let outcome = try modelContext.transaction(once: paid.key.onceKey) {
      let record = PurchaseRecord(paid)
      modelContext.insert(record)
      for ordinal in 0..<credits { modelContext.insert(PurchaseCredit(ordinal, of: record)) }
      modelContext.insert(FinishNote(paid.key, createdAt: now()))
      for entry in aside { modelContext.delete(entry) }
      observer.reached(.delivering)
    }
    return outcome == .performed
  }

  /// The credits of a purchase that was refunded before its product was known here.
  private func grantMissing(_ paid: PaidTransaction, _ record: PurchaseRecord, _ credits: Int) throws {
    let missing = record.creditsGranted..<max(record.creditsGranted, credits)
    guard !missing.isEmpty else { return }
    try modelContext.transaction(once: paid.key.onceKey + "/credits") {
      for ordinal in missing { modelContext.insert(PurchaseCredit(ordinal, of: record)) }
    }
  }

  private func quarantine(_ entry: QuarantineEntry) throws {
    try modelContext.commitRacing {
      if let known = try modelContext.quarantined(entry.key) {
        known.note(entry)
      } else {
        modelContext.insert(QuarantinedTransaction(entry, at: now()))
      }
    }
  }

  /// Tells the App Store, then drops the note. Returns the App Store's error; the note stays then, and the next launch
  /// tells it again.
  private func finish(_ transaction: Transaction, _ key: TransactionKey) async throws -> (any Error)? {
    observer.reached(.delivered)
    do {
      try await TimeLimit.run(finishLimit) { [client] in try await client.finish(transaction) }
    } catch {
      return error
    }
    observer.reached(.finished)
    try dropNote(key)
    observer.reached(.settled)
    return nil
  }

  /// In one commit with the date; nothing is written where both are done.
  private func dropNote(_ key: TransactionKey) throws {
    let text = key.text
    try modelContext.commitRacing {
      try modelContext.purchase(key)?.noteFinished(at: now())
      let note = try modelContext.first(#Predicate<FinishNote> { $0.transactionKey == text })
      if let note { modelContext.delete(note) }
    }
  }
}
