// The once ledger.
extension StoreSnapshot {
  /// Whether a once transaction with this key was committed here or on a device whose changes were merged. One look-up.
  public func isDone(_ key: OnceKey) throws -> Bool { try OnceTable(transaction, layout).entry(of: key) != nil }

  /// The stamps of the transactions that ran the key, rising; each names its replica and time. Empty if none did.
  public func runs(of key: OnceKey) throws -> [Stamp] { try OnceTable(transaction, layout).entry(of: key)?.runs ?? [] }

  /// How many keys the ledger holds.
  public var onceKeyCount: Int {
    get throws { try OnceTable(transaction, layout).count }
  }

  /// Every key of the ledger with its runs, in an order that is equal on all devices: for dumps and snapshots.
  package func forEachOnceEntry(_ body: (OnceEntry) throws -> Void) throws {
    try OnceTable(transaction, layout).forEach { _, value in try body(OnceTable.decode(value)) }
  }
}
