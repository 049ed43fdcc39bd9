public import CLMDB

/// The reading side of a read or write transaction, so that one piece of code serves both.
///
/// Copyable but not Sendable: valid until its transaction ends, on the thread it was lent to. Bytes
/// that it returns are part of the memory map: valid until then and, in a write transaction, only
/// until the next write. Debug builds trap when a view is used after its end.
public struct TransactionView {
  @usableFromInline let transaction: OpaquePointer
  @usableFromInline let state: TransactionState.Reference
  @usableFromInline let serial: UInt64

  @usableFromInline
  init(transaction: OpaquePointer, state: TransactionState.Reference, serial: UInt64) {
    self.transaction = transaction
    self.state = state
    self.serial = serial
  }

  @inlinable
  func assertAlive() {
    assert(
      state.pointee.serial == serial,
      "a transaction view was used after its transaction ended, or while a nested transaction is open")
  }

  /// The id of the last commit that this snapshot sees; in a write transaction the id that its own
  /// commit will have.
  @inlinable
  public var id: UInt64 {
    assertAlive()
    return UInt64(mdb_txn_id(transaction))
  }

  /// The value of a key, or nil. One descent of the tree; nothing is allocated.
  @inlinable
  public func get(_ database: Database, key: RawBytes) throws -> RawBytes? {
    assertAlive()
    return try database.withKey(key) { key in
      var key = key.value
      var value = MDB_val()
      let code = mdb_get(transaction, database.handle, &key, &value)
      if code == MDB_NOTFOUND { return nil }
      try check(code, "read from \(database.name)")
      return RawBytes(value)
    }
  }

  /// The value of a key, given as an array, or nil.
  @inlinable
  public func get(_ database: Database, key: [UInt8]) throws -> RawBytes? {
    try key.withRawBytes { key in try get(database, key: key) }
  }

  /// A cursor before the first entry. It must go out of scope before the transaction ends.
  @inlinable
  public func cursor(_ database: Database) throws -> Cursor {
    assertAlive()
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(transaction, database.handle, &cursor), "open a cursor on \(database.name)")
    // LMDB sets the pointer whenever it returns success.
    return Cursor(cursor: cursor!, database, view: self)
  }

  /// The size and shape of a database. A section has those of its tree.
  public func statistics(_ database: Database) throws -> DatabaseStatistics {
    assertAlive()
    var statistics = MDB_stat()
    try check(mdb_stat(transaction, database.handle, &statistics), "measure \(database.name)")
    return DatabaseStatistics(statistics)
  }

  /// Whether there is no entry.
  public func isEmpty(_ database: Database) throws -> Bool {
    guard database.section != nil else { return try statistics(database).entries == 0 }
    var cursor = try cursor(database)
    return try cursor.first() == nil
  }

  /// The names of all databases in this snapshot, in byte order. What ``Database/main`` has beside them is left out.
  public func databaseNames() throws -> [String] {
    var cursor = try cursor(.main)
    var names: [String] = []
    while let entry = try cursor.next() {
      if entry.key.buffer.contains(0) { continue }
      names.append(String(decoding: entry.key.buffer, as: UTF8.self))
    }
    return names
  }
}

extension Database {
  /// The unnamed tree, whose keys are the names of the others.
  ///
  /// Every commit writes the leaf page that names what it has changed. So a small value that changes with each commit
  /// costs no page of its own where it stands in this tree, beside the names. Its key has a zero byte, as no name has;
  /// LMDB's tools take such an entry for data. The names themselves are LMDB's to write.
  public static let main = Database(handle: 1, name: "the list of databases")
}
