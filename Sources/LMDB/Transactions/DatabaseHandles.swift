import CLMDB
import Synchronization

/// The databases whose handles every transaction of the process may use, by name.
///
/// lmdb.h (`mdb_dbi_open`): only one transaction at a time may open databases, it must end before the
/// next does, and handles opened by an aborted transaction are void. So a transaction that opens some
/// holds the lock until its end, and shares its handles only after its commit.
final class DatabaseHandles: Sendable {
  private let opening = Monitor()
  private let shared = Mutex<[String: Database]>([:])
  private let changes = Atomic<UInt64>(0)

  /// Grows whenever handles become shared.
  var generation: UInt64 { changes.load(ordering: .acquiring) }

  func lock() { opening.lock() }
  func unlock() { opening.unlock() }

  func find(_ name: String) -> Database? { shared.withLock { $0[name] } }

  /// Called under the lock, after the commit of the transaction that opened them.
  func share(_ databases: [Database]) {
    let isNew = shared.withLock { names in
      let before = names.count
      for database in databases { names[database.name] = database }
      return names.count > before
    }
    if isNew { changes.add(1, ordering: .releasing) }
  }
}
