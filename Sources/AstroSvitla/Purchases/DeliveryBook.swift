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
  /// Whether all saves are one commit, which fails as a whole: how its transactions arrived is then written down once,
  /// by ``hearBatch()``, rather than before the credits of each.
  var isOfBatch = false
  /// The deliveries of a batch of which it is not written down yet how they arrived.
  private var unheard: [(paid: PaidTransaction, path: DeliveryPath)] = []

  init(
    context: ModelContext, installationID: UUID, observer: StepObserver, now: @escaping @Sendable () -> Date,
    isOfBatch: Bool = false
  ) {
    (self.context, self.installationID, self.observer) = (context, installationID, observer)
    (self.now, self.isOfBatch) = (now, isOfBatch)
  }

  /// Everything about a transaction that is stored, and what became of it.
  mutating func enter(_ paid: PaidTransaction, by path: DeliveryPath) throws -> DeliveryOutcome {
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
      // The credits first: once it is written down that the refund was reversed, nothing asks for them again.
      if let record { try grantMissing(paid, record, credits) }
      try hear(paid, by: nil)
      return .restored(paid.key)
    case .deliver(let credits):
      if isOfBatch { unheard.append((paid, path)) } else { try hear(paid, by: path) }
      guard try grant(paid, credits) else { return .known(paid.key) }
      guard let end = paid.expiresAt else { return .delivered(paid.key, credits: credits) }
      return .subscribed(paid.key, until: end)
    }
  }

  /// Writes down how the transaction arrived here, and what the App Store says about a refund if that is new. Both are
  /// facts that hold whatever becomes of the delivery, so they are saved before it.
  func hear(_ paid: PaidTransaction, by path: DeliveryPath?) throws {
    try context.commitRacing { try noteHeard([(paid, path)]) }
  }

  /// Writes down how the deliveries of a batch arrived, in one save. It is no part of what the once key of each
  /// delivery stands for: that is the same on all devices, and how it arrived is not.
  mutating func hearBatch() throws {
    guard !unheard.isEmpty else { return }
    try context.commitRacing { try noteHeard(unheard.map { ($0.paid, $0.path) }) }
    unheard = []
  }

  private func noteHeard(_ all: [(paid: PaidTransaction, path: DeliveryPath?)]) throws {
    // All are fetched before any is changed: a fetch looks at what is changed and not saved, one by one.
    let found = try all.map { paid, path in
      (
        last: try context.lastRevocation(of: paid.key),
        arrival: try path.map { _ in try context.arrival(paid.key, installationID) } ?? nil
      )
    }
    for ((paid, path), (last, arrival)) in zip(all, found) {
      let isKnown = (last?.state ?? DeliveryDecision.Known()).says(paid.revocation)
      if !isKnown, last.map({ $0.signedAt < paid.signedAt }) ?? true {
        context.insert(RevocationNotice(paid))
      }
      if let path, path != arrival?.path { note(paid.key, path, over: arrival) }
    }
  }

  private func note(_ key: TransactionKey, _ path: DeliveryPath, over known: PurchaseArrival?) {
    if let known {
      known.note(path, at: now())
    } else {
      context.insert(PurchaseArrival(key, installationID: installationID, path: path, at: now()))
    }
  }

  /// Record, credits and note in one save, once for ever. False when it was done before, here or elsewhere.
  private func grant(_ paid: PaidTransaction, _ credits: Int) throws -> Bool {
    let aside = try [paid.key.text, QuarantineEntry.unverifiedKey(paid.key)].compactMap { key in
      try context.quarantined(key)
    }
    let outcome = try context.transaction(once: paid.key.onceKey) {
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
