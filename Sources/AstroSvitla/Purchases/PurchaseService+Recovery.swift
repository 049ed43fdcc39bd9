import AppStorePurchases
import Foundation
import Tandem

// Launching.
extension PurchaseService {
  /// What every launch does, in this order: starts the listener, tells the App Store what a crash kept from it,
  /// delivers what is unfinished, looks through the history for refunds and their reversals, and reads the balance.
  ///
  /// Throws when the App Store or the store can not be read or written; what was done until then is durable, and
  /// calling it again goes on. An App Store that cannot be told is no error: the report says so, the credits are there.
  ///
  /// - Parameter listens: False for a program that does one thing and ends.
  public func launch(listens: Bool = true) async throws -> RecoveryReport {
    if listens { listen() }
    return try await recover(isRestoring: false)
  }

  /// "Restore Purchases": brings the account's transactions up to date first, then does what a launch does.
  public func restore() async throws -> RecoveryReport {
    try await client.sync()
    return try await recover(isRestoring: true)
  }

  private func recover(isRestoring: Bool) async throws -> RecoveryReport {
    var report = RecoveryReport()
    let unfinished = try await transactions(.unfinished)
    report.notesDropped = try dropNotes(except: unfinished)
    for signed in unfinished {
      let delivery = try await deliver(signed, by: .recovery, isRestoring: isRestoring)
      report.add(delivery)
    }
    for signed in try await transactions(.all) {
      guard try needsLook(signed, isRestoring) else { continue }
      report.add(try await deliver(signed, by: .recovery, isRestoring: isRestoring))
    }
    report.balance = CreditBalance(try modelContext.creditLedger())
    return report
  }

  /// Whether the transaction was delivered, here or on a device that this one has met. Throws when the store can not be
  /// read: that never means no.
  public func isProcessed(_ key: TransactionKey) throws -> Bool { try modelContext.purchase(key) != nil }

  private func transactions(_ scope: TransactionScope) async throws -> [VerificationResult<Transaction>] {
    var found: [VerificationResult<Transaction>] = []
    // The oldest first, so that credits are numbered and dated as they were bought.
    for try await signed in client.transactions(scope) { found.append(signed) }
    return found.reversed()
  }

  /// A note whose transaction is not unfinished any more: the answer was lost, the finish was not.
  private func dropNotes(except unfinished: [VerificationResult<Transaction>]) throws -> Int {
    let open = Set(unfinished.map { PaidTransaction($0.unsafePayloadValue, signedText: "").key.text })
    let done = try modelContext.fetch(FetchDescriptor<FinishNote>()).filter { !open.contains($0.transactionKey) }
    guard !done.isEmpty else { return 0 }
    let keys = Set(done.map(\.transactionKey))
    let records = try modelContext.fetch(
      FetchDescriptor<PurchaseRecord>(predicate: #Predicate { $0.finishedAt == nil }))
    try modelContext.commit {
      for record in records where keys.contains(record.key.text) { record.noteFinished(at: now()) }
      for note in done { modelContext.delete(note) }
    }
    return done.count
  }

  /// Of the history only what says something new about a refund. A finished consumable that was never delivered here is
  /// not: it was spent elsewhere. "Restore" asks for it all the same, since the store remembers what it delivered.
  private func needsLook(_ signed: VerificationResult<Transaction>, _ isRestoring: Bool) throws -> Bool {
    guard case .verified(let transaction) = signed else { return false }
    let paid = PaidTransaction(transaction, signedText: "")
    let record = try modelContext.purchase(paid.key)
    if record == nil, !isRestoring, paid.revocation == nil { return false }
    return record?.revokedAt != paid.revocation?.date || record == nil
  }

  /// An error of the listener that nobody waits for.
  func note(_ error: any Error) async {
    listenerErrors.append("\(error)")
    if listenerErrors.count > 100 { listenerErrors.removeFirst() }
  }
}
