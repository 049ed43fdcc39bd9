import AppStorePurchases
import Foundation
import Tandem

// Delivering one transaction.
extension PurchaseService {
  /// An outcome, and why the App Store could not be told, if it could not.
  struct Delivery: Sendable {
    var outcome: DeliveryOutcome
    var finishError: (any Error)?
  }

  /// Takes one transaction through. Others wait until it is done.
  ///
  /// Throws what keeps it from being decided or committed; it stays unfinished then, and is taken up later.
  func deliver(_ signed: VerificationResult<Transaction>, by path: DeliveryPath) async throws -> Delivery {
    do {
      let delivery = try await queue.run { try await self.process(signed, path) }
      if delivery.finishError != nil { takeUpLater() }
      return delivery
    } catch {
      takeUpLater()
      throw error
    }
  }

  var book: DeliveryBook {
    DeliveryBook(context: modelContext, installationID: installationID, observer: observer, now: now)
  }

  func process(_ signed: VerificationResult<Transaction>, _ path: DeliveryPath) async throws -> Delivery {
    var book = book
    guard case .verified(let transaction) = signed else {
      try book.putAside(QuarantineEntry(unverified: signed))
      return Delivery(outcome: .quarantined(.unverified))
    }
    let paid = PaidTransaction(transaction, signedText: signed.jwsRepresentation)
    observer.reached(paid.revocation == nil ? .verified : .revocationVerified)
    if try await isDeliveredElsewhere(paid, path) {
      try book.hear(paid, by: nil)
      return Delivery(outcome: .known(paid.key))
    }
    let outcome = try book.enter(paid, by: path)
    if case .quarantined = outcome { return Delivery(outcome: outcome) }
    let error = await finish([transaction])[0]
    if error == nil { try settle([paid.key]) }
    return Delivery(outcome: outcome, finishError: error)
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
        return TransactionKey(transaction)
      })
  }

  /// Tells the App Store that transactions are delivered. Returns its error for each; the note stays then, and it is
  /// told again later.
  func finish(_ transactions: [Transaction]) async -> [(any Error)?] {
    await TimeLimit.each(transactions.count, finishLimit) { [client, observer] index in
      observer.reached(.delivered)
      try await client.finish(transactions[index])
      observer.reached(.finished)
    }
  }

  /// Drops the notes of finished transactions.
  func settle(_ keys: [TransactionKey]) throws {
    try book.dropNotes(of: keys)
    for _ in keys { observer.reached(.settled) }
  }
}
