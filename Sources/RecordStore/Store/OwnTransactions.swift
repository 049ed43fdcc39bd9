import Foundation
import Synchronization

/// Which transactions of a store this process made. History names a process by its number alone, and an earlier one may
/// have had the same: the first process of a container always has 1. What was there when this process first opened the
/// store is none of its own.
///
/// Two processes that have one number at one time, in containers that share the store, are not told apart.
package struct OwnTransactions: Sendable {
  /// The newest transaction that was there.
  private let last: UInt64

  /// By path without links, for a process may close a store and open it again. A store that takes the place of another
  /// may have lower numbers.
  private static let found = Mutex<[String: UInt64]>([:])

  /// `path`: nil for a store in memory, which no other process has had. `last`: the newest transaction at an opening.
  init(ofStoreAt path: String?, last: UInt64) {
    guard let path else {
      self.last = 0
      return
    }
    let place = FileSystemKind.pathWithoutLinks(path) ?? path
    self.last = Self.found.withLock { found in
      let first = min(found[place] ?? last, last)
      found[place] = first
      return first
    }
  }

  /// Whether this process made a transaction, and no merge brought it.
  package func contains(_ transaction: HistoryTransaction) -> Bool {
    !transaction.isMerge && transaction.number > last
      && transaction.processIdentifier == ProcessInfo.processInfo.processIdentifier
  }
}

extension RecordStore {
  /// The transactions of this process.
  package var ownTransactions: OwnTransactions { core.ownTransactions }
}
