public import CLMDB

/// The write transaction: at most one at a time over all processes.
///
/// It stays on one thread from begin to end. The closure that borrows it may run more than once: when
/// the map is too small, everything is undone, the map grows, and the closure starts again.
public struct WriteTransaction: ~Copyable {
  /// The state that the transaction sees, its own writes included.
  public let view: TransactionView
  @usableFromInline let context: WriteContext

  @usableFromInline
  init(context: WriteContext) {
    self.context = context
    view = context.view
  }

  /// The treatment of a key that is there.
  public enum PutMode: Sendable {
    /// The new value takes the place of the old one.
    case upsert
    /// Throws `keyExists` and changes nothing when the key is there.
    case insert
    /// The key must be greater than every key of the database, or `keyExists` is thrown; pages fill completely.
    case append

    @inlinable
    var flags: UInt32 {
      switch self {
      case .upsert: 0
      case .insert: UInt32(MDB_NOOVERWRITE)
      case .append: UInt32(MDB_APPEND)
      }
    }
  }

  /// Stores a value. Keys have 1 to 511 bytes. A failure other than `keyExists` dooms the transaction.
  @inlinable
  public func put(_ database: Database, key: RawBytes, value: RawBytes, mode: PutMode = .upsert) throws {
    view.assertAlive()
    try database.withKey(key) { key in
      var (keyValue, dataValue) = (key.value, value.value)
      let code = database.put(mode) { mdb_put(view.transaction, database.handle, &keyValue, &dataValue, $0) }
      if code != 0 { throw context.failure(code, "write to \(database.name)") }
    }
  }

  /// Stores a value, with key and value given as arrays.
  @inlinable
  public func put(_ database: Database, key: [UInt8], value: [UInt8], mode: PutMode = .upsert) throws {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { value in
        try put(database, key: RawBytes(key), value: RawBytes(value), mode: mode)
      }
    }
  }

  /// Makes room for a value of `count` bytes and lets `body` write it straight into the page.
  ///
  /// The room is not cleared: `body` writes every byte, and calls nothing of this transaction.
  @inlinable
  public func reserve(
    _ database: Database, key: RawBytes, count: Int, mode: PutMode = .upsert,
    // A pointer into the page itself: a copy is what this method spares.
    _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) throws {
    view.assertAlive()
    precondition(database.section == nil, "room is reserved in whole trees")
    var keyValue = key.value
    var value = MDB_val(mv_size: count, mv_data: nil)
    let flags = mode.flags | UInt32(MDB_RESERVE)
    let code = mdb_put(view.transaction, database.handle, &keyValue, &value, flags)
    if code != 0 { throw context.failure(code, "write to \(database.name)") }
    // LMDB has set the address of the room it made.
    body(UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }

  /// Whether there was such a key.
  @inlinable
  @discardableResult
  public func delete(_ database: Database, key: RawBytes) throws -> Bool {
    view.assertAlive()
    return try database.withKey(key) { key in
      var keyValue = key.value
      let code = mdb_del(view.transaction, database.handle, &keyValue, nil)
      if code == MDB_NOTFOUND { return false }
      if code != 0 { throw context.failure(code, "delete from \(database.name)") }
      return true
    }
  }

  /// Deletes the entry of a key, given as an array; returns whether there was one.
  @inlinable
  @discardableResult
  public func delete(_ database: Database, key: [UInt8]) throws -> Bool {
    try key.withUnsafeBytes { key in try delete(database, key: RawBytes(key)) }
  }

  /// Empties a database and frees its pages. Cost: one visit per page; of a section, one per entry.
  public func removeAll(from database: Database) throws {
    view.assertAlive()
    if database.section != nil { return try removeEach(from: database) }
    let code = mdb_drop(view.transaction, database.handle, 0)
    if code != 0 { throw context.failure(code, "empty \(database.name)") }
  }

  private func removeEach(from section: Database) throws {
    while case let keys = try firstKeys(of: section), !keys.isEmpty {
      let cursor = try writeCursor(section)
      for key in keys { try key.withRawBytes { key throws in _ = try cursor.delete(key: key) } }
    }
  }

  /// Copies of the first keys, as nothing that is lent lasts beyond a write.
  private func firstKeys(of section: Database) throws -> [[UInt8]] {
    var cursor = try view.cursor(section)
    var keys: [[UInt8]] = []
    while keys.count < 256, let entry = try cursor.next() { keys.append(entry.key.copied()) }
    return keys
  }

  /// Creates or opens a database; its handle is valid elsewhere once this transaction has committed.
  ///
  /// When another transaction of this process opened a database meanwhile, the whole write closure
  /// runs again: LMDB gives out handles to one transaction at a time.
  public func createDatabase(named name: String) throws -> Database {
    view.assertAlive()
    guard let database = try context.openDatabase(named: name, creating: true) else {
      throw LMDBError(.notFound, operation: "create \(name)", detail: "LMDB made no database")
    }
    return database
  }

  /// A transaction inside this one: kept when `body` returns, undone when it throws.
  ///
  /// While it runs, the outer transaction and its cursors must not be used. A map that is too small
  /// still reruns the outermost closure, even if `body`'s error is caught.
  @inlinable
  public func nested<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
    view.assertAlive()
    let outer = try context.beginNested()
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(try body(WriteTransaction(context: context)))
    } catch {
      outcome = .failure(error)
    }
    switch outcome {
    case .success(let result):
      try context.commitNested(returningTo: outer)
      return result
    case .failure(let error):
      context.abortNested(returningTo: outer)
      throw error
    }
  }
}

extension Database {
  /// Puts by LMDB's flags, and returns its code. Where a section is not the last of its tree, LMDB knows greater keys
  /// than one that is appended; it then goes to its place as any other.
  @inlinable
  func put(_ mode: WriteTransaction.PutMode, _ put: (UInt32) -> Int32) -> Int32 {
    let code = put(mode.flags)
    guard code == MDB_KEYEXIST, mode == .append, section != nil else { return code }
    return put(WriteTransaction.PutMode.insert.flags)
  }
}
