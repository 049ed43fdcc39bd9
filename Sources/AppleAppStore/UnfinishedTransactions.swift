import StoreKit
import Synchronization

/// StoreKit's own values of the transactions that were listed as unfinished: one can be finished without a look through
/// all of them, which for each of thousands at a launch would take minutes.
final class UnfinishedTransactions: Sendable {
  private let known = Mutex<[UInt64: StoreKit.Transaction]>([:])

  func remember(_ transaction: StoreKit.Transaction) {
    known.withLock { $0[transaction.id] = transaction }
  }

  /// Forgets it, too: finishing it once more looks through what StoreKit lists.
  func take(_ id: UInt64) -> StoreKit.Transaction? {
    known.withLock { $0.removeValue(forKey: id) }
  }
}
