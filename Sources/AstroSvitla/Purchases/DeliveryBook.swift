import AppStorePurchases
import Foundation
import Tandem

/// What is written down of deliveries, through one context: one transaction after another, or all of a batch, whose
/// saves are one commit.
struct DeliveryBook {
  let context: ModelContext
  let installationID: UUID
  let observer: StepObserver
  let now: @Sendable () -> Date
  /// Whether all saves are one commit, which fails as a whole: how a transaction arrived is then saved with its credits
  /// rather than before them.
  var isOfBatch = false

  /// Everything about a transaction that is stored, and what became of it.
  func enter(_ paid: PaidTransaction, by path: DeliveryPath) throws -> DeliveryOutcome {
    let record = try context.purchase(paid.key)
    let known = try record.map { _ in try context.lastRevocation(of: paid.key)?.state ?? .init() }
    switch DeliveryDecision(paid, known: known) {
    case .finish:
      // Another process of this device may have found it unfinished, and been faster than its own purchase.
      if path == .purchase { try hear(paid, by: path) }
      return .known(paid.key)
    case .quarantine(let reason):
      try putAside(QuarantineEntry(paid, reason))
      return .quarantined(reason)
    case .revoke(let credits):
      try hear(paid, by: record == nil ? path : nil)
      if record == nil { _ = try grant(paid, credits) }
      return .revoked(paid.key, used: try context.usedCount(of: paid.key.text))
    case .restore(let credits):
      try hear(paid, by: nil)
      if let record { try grantMissing(paid, record, credits) }
      return .restored(paid.key)
    case .deliver(let credits):
      if !isOfBatch { try hear(paid, by: path) }
      guard try grant(paid, credits, arrivedBy: isOfBatch ? path : nil) else {
        if isOfBatch { try hear(paid, by: path) }
        return .known(paid.key)
      }
      guard let end = paid.expiresAt else { return .delivered(paid.key, credits: credits) }
      return .subscribed(paid.key, until: end)
    }
  }

  /// Writes down how the transaction arrived here, and what the App Store says about a refund if that is new. Both are
  /// facts that hold whatever becomes of the delivery, so they are saved before it.
  func hear(_ paid: PaidTransaction, by path: DeliveryPath?) throws {
    try context.commitRacing { try noteHeard(paid, by: path) }
  }

  private func noteHeard(_ paid: PaidTransaction, by path: DeliveryPath?) throws {
    let last = try context.lastRevocation(of: paid.key)
    let arrival = try path.map { _ in try context.arrival(paid.key, installationID) } ?? nil
    if last?.revokedAt != paid.revocation?.date, last.map({ $0.signedAt < paid.signedAt }) ?? true {
      context.insert(RevocationNotice(paid))
    }
    if let path, path != arrival?.path { note(paid.key, path, over: arrival) }
  }

  private func note(_ key: TransactionKey, _ path: DeliveryPath, over known: PurchaseArrival?) {
    if let known {
      known.note(path, at: now())
    } else {
      context.insert(PurchaseArrival(key, installationID: installationID, path: path, at: now()))
    }
  }

  /// Record, credits and note in one save, once for ever. False when it was done before, here or elsewhere.
  private func grant(_ paid: PaidTransaction, _ credits: Int, arrivedBy path: DeliveryPath? = nil) throws -> Bool {
    let aside = try [paid.key.text, QuarantineEntry.unverifiedKey(paid.key)].compactMap { key in
      try context.quarantined(key)
    }
    let outcome = try context.transaction(once: paid.key.onceKey) {
      if let path { try noteHeard(paid, by: path) }
      let record = PurchaseRecord(paid)
      context.insert(record)
      for ordinal in 0..<credits { context.insert(PurchaseCredit(ordinal, of: record)) }
      context.insert(FinishNote(paid.key, createdAt: now()))
      for entry in aside { context.delete(entry) }
      observer.reached(.delivering)
    }
    return outcome == .performed
  }

  /// The credits of a purchase that was refunded before its product was known here.
  private func grantMissing(_ paid: PaidTransaction, _ record: PurchaseRecord, _ credits: Int) throws {
    let missing = record.creditsGranted..<max(record.creditsGranted, credits)
    guard !missing.isEmpty else { return }
    try context.transaction(once: paid.key.onceKey + "/credits") {
      for ordinal in missing { context.insert(PurchaseCredit(ordinal, of: record)) }
    }
  }

  func putAside(_ entry: QuarantineEntry) throws {
    try context.commitRacing {
      if let known = try context.quarantined(entry.key) {
        known.note(entry)
      } else {
        context.insert(QuarantinedTransaction(entry, at: now()))
      }
    }
  }

  /// Drops the notes of what the App Store knows to be delivered, in one commit with the dates; nothing is written
  /// where all of that is done.
  func dropNotes(of keys: [TransactionKey]) throws {
    guard !keys.isEmpty else { return }
    try context.commitRacing {
      // All are fetched before any is changed: a fetch looks at what is changed and not saved, one by one.
      let found = try keys.map { key in
        let text = key.text
        return (
          try context.purchase(key), try context.first(#Predicate<FinishNote> { $0.transactionKey == text })
        )
      }
      for (record, note) in found {
        record?.noteFinished(at: now())
        if let note { context.delete(note) }
      }
    }
  }
}
