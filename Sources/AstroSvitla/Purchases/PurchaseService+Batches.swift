import AppStorePurchases
import Foundation
import Tandem

// Delivering many transactions at once.
extension PurchaseService {
  /// How many transactions are delivered in one durable commit. A flush to the device is what a single delivery waits
  /// for; shared by this many it is a small part, and other processes wait for tenths of a second at most.
  static let batchSize = 256

  /// What became of a batch, and those of it whose notes can go.
  private typealias Batch = (deliveries: [Delivery], finished: [TransactionKey])

  /// Takes through what the App Store calls unfinished, in order, a batch at a time: all that is stored of a batch in
  /// one durable commit, then each of it finished. Their notes are dropped in the commit of the next batch. Other
  /// deliveries wait for the batch that is under way.
  ///
  /// Throws what keeps a transaction from being decided or committed. It and those after it stay unfinished then; those
  /// before it are delivered.
  func deliver(unfinished: [VerificationResult<Transaction>], _ report: inout RecoveryReport) async throws {
    var rest = unfinished[...]
    var finished: [TransactionKey] = []
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Self.batchSize))
      rest = rest.dropFirst(batch.count)
      if let (deliveries, next) = try await queue.run({ [finished] in await self.enter(batch, dropping: finished) }) {
        for delivery in deliveries { report.add(delivery) }
        finished = next
      } else {
        try settle(finished)
        finished = []
        // One by one, so that the one at fault keeps none of the others, and says itself what is wrong.
        for signed in batch { report.add(try await deliver(signed, by: .recovery)) }
      }
    }
    try settle(finished)
  }

  /// Stores a batch and tells the App Store. Nil, with nothing stored and nothing finished, for a batch that cannot be
  /// committed as one, and for a single transaction, which needs none.
  private func enter(
    _ batch: [VerificationResult<Transaction>], dropping finished: [TransactionKey]
  ) async -> Batch? {
    guard batch.count > 1, let outcomes = commit(batch, dropping: finished) else { return nil }
    for _ in finished { observer.reached(.settled) }
    openKeys.subtract(Self.keys(of: batch))
    var deliveries = outcomes.map { Delivery(outcome: $0) }
    let told = zip(batch, outcomes).enumerated().compactMap { index, element -> (index: Int, Transaction)? in
      guard case .verified(let transaction) = element.0, element.1.key != nil else { return nil }
      return (index, transaction)
    }
    for (told, error) in zip(told, await finish(told.map(\.1))) { deliveries[told.index].finishError = error }
    return (deliveries, told.compactMap { deliveries[$0.index].finishError == nil ? outcomes[$0.index].key : nil })
  }

  /// Stores all of a batch and drops the notes of the one before, durably and as one; nil if that cannot be, with the
  /// store as it was.
  private func commit(
    _ batch: [VerificationResult<Transaction>], dropping finished: [TransactionKey]
  ) -> [DeliveryOutcome]? {
    let (id, observer, now) = (installationID, observer, now)
    do {
      return try modelContainer.batch { context in
        var book = DeliveryBook(
          context: context, installationID: id, observer: observer, now: now, isOfBatch: true)
        try book.dropNotes(of: finished)
        let outcomes = try batch.map { signed -> DeliveryOutcome in
          guard case .verified(let transaction) = signed else {
            try book.putAside(QuarantineEntry(unverified: signed))
            return .quarantined(.unverified)
          }
          let paid = PaidTransaction(transaction, signedText: signed.jwsRepresentation)
          observer.reached(paid.revocation == nil ? .verified : .revocationVerified)
          // Unfinished as the batch was asked for, so nobody else has delivered it for good.
          return try book.enter(paid, by: .recovery)
        }
        try book.hearBatch()
        return outcomes
      }
    } catch {
      // Whatever it is, it comes again where the transactions are taken through one by one.
      return nil
    }
  }
}
