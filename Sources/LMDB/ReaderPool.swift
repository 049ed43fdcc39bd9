import CLMDB

/// Read transactions that are reset and renewed instead of ended and begun, which spares a search of
/// the reader table each time.
// @unchecked: the monitor guards all mutable members.
final class ReaderPool: @unchecked Sendable {
  typealias Reader = TransactionState.Reference

  /// An idle reader keeps one of the slots that all processes share, so only this many are kept.
  private static let idleReadersKept = 16

  private let monitor = Monitor()
  private var idle: [Reader] = []
  /// Readers of every state, in memory that stays until the environment closes.
  private var all: [Reader] = []

  deinit {
    for reader in all { reader.deallocate() }
  }

  func take() -> Reader {
    monitor.lock()
    defer { monitor.unlock() }
    if let reader = idle.popLast() { return reader }
    let reader = Reader.allocate(capacity: 1)
    reader.initialize(to: TransactionState())
    all.append(reader)
    return reader
  }

  func giveBack(_ reader: Reader) {
    monitor.lock()
    defer { monitor.unlock() }
    if reader.pointee.transaction != nil, idle.count < Self.idleReadersKept {
      idle.append(reader)
    } else {
      // Below the others, so that those with a transaction are taken first.
      Self.discard(reader)
      idle.insert(reader, at: 0)
    }
  }

  /// Ends all pooled transactions; nobody uses the environment any more.
  func discardAll() {
    for reader in all { Self.discard(reader) }
  }

  static func discard(_ reader: Reader) {
    guard let transaction = reader.pointee.transaction else { return }
    mdb_txn_abort(transaction)
    reader.pointee.transaction = nil
  }
}
