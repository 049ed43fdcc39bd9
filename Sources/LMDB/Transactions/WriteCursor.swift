public import CLMDB

/// A position in a database of a write transaction, for writes in key order: the way down the tree is kept from one
/// write to the next, where `put` of the transaction goes it each time.
///
/// Closes when it goes out of scope, which must be before its transaction ends. Bytes that other views lent are not
/// valid after a write.
public struct WriteCursor: ~Copyable {
  @usableFromInline let cursor: OpaquePointer
  @usableFromInline let context: WriteContext
  @usableFromInline let view: TransactionView
  @usableFromInline let database: Database

  @usableFromInline
  init(cursor: OpaquePointer, context: WriteContext, database: Database) {
    self.cursor = cursor
    self.context = context
    self.database = database
    view = context.view
  }

  deinit {
    // LMDB frees the cursors of a write transaction at its end; closing one again would corrupt memory.
    precondition(view.state.pointee.serial == view.serial, "a cursor outlived its transaction")
    mdb_cursor_close(cursor)
  }

  /// As `put` of the transaction.
  @inlinable
  public borrowing func put(key: RawBytes, value: RawBytes, mode: WriteTransaction.PutMode = .upsert) throws {
    view.assertAlive()
    try database.withKey(key) { key in
      var (keyValue, dataValue) = (key.value, value.value)
      let code = database.put(mode) { flags in mdb_cursor_put(cursor, &keyValue, &dataValue, flags) }
      if code != 0 { throw context.failure(code, "write to \(database.name)") }
    }
  }

  /// As `put`, but false, with nothing changed, where ``WriteTransaction/PutMode/insert`` finds the key. With
  /// ``WriteTransaction/PutMode/append`` an entry goes behind all others, filling pages as there, if it belongs there,
  /// and otherwise to its place.
  @inlinable
  public borrowing func insert(
    key: RawBytes, value: RawBytes, mode: WriteTransaction.PutMode = .insert
  ) throws -> Bool {
    view.assertAlive()
    return try database.withKey(key) { key in
      var (keyValue, dataValue) = (key.value, value.value)
      var code = MDB_KEYEXIST
      if mode == .append { code = mdb_cursor_put(cursor, &keyValue, &dataValue, mode.flags) }
      if code == MDB_KEYEXIST {
        code = mdb_cursor_put(cursor, &keyValue, &dataValue, WriteTransaction.PutMode.insert.flags)
      }
      if code == MDB_KEYEXIST { return false }
      if code != 0 { throw context.failure(code, "write to \(database.name)") }
      return true
    }
  }

  /// As `reserve` of the transaction.
  @inlinable
  public borrowing func reserve(
    key: RawBytes, count: Int, mode: WriteTransaction.PutMode = .upsert,
    // A pointer into the page itself: a copy is what this method spares.
    _ body: (UnsafeMutableRawBufferPointer) -> Void
  ) throws {
    view.assertAlive()
    precondition(database.section == nil, "room is reserved in whole trees")
    var keyValue = key.value
    var value = MDB_val(mv_size: count, mv_data: nil)
    let code = mdb_cursor_put(cursor, &keyValue, &value, mode.flags | UInt32(MDB_RESERVE))
    if code != 0 { throw context.failure(code, "write to \(database.name)") }
    // LMDB has set the address of the room it made.
    body(UnsafeMutableRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }

  /// Whether there was such a key.
  @inlinable
  @discardableResult
  public borrowing func delete(key: RawBytes) throws -> Bool {
    view.assertAlive()
    return try database.withKey(key) { key in
      var keyValue = key.value
      var value = MDB_val()
      var code = mdb_cursor_get(cursor, &keyValue, &value, MDB_SET)
      if code == MDB_NOTFOUND { return false }
      if code == 0 { code = mdb_cursor_del(cursor, 0) }
      if code != 0 { throw context.failure(code, "delete from \(database.name)") }
      return true
    }
  }

  /// As ``delete(key:)`` where the key is one of the last few, `steps`, before the cursor's place: a step costs a fifth
  /// of a search. False, with nothing deleted, where it is not; the cursor then stands anywhere.
  @inlinable
  public borrowing func delete(key: RawBytes, back steps: Int) throws -> Bool {
    view.assertAlive()
    return try database.withKey(key) { key in
      var sought = key.value
      for _ in 0..<steps {
        var (found, value) = (MDB_val(), MDB_val())
        var code = mdb_cursor_get(cursor, &found, &value, MDB_PREV)
        if code == MDB_NOTFOUND { return false }
        if code == 0, mdb_cmp(view.transaction, database.handle, &found, &sought) != 0 { continue }
        if code == 0 { code = mdb_cursor_del(cursor, 0) }
        if code != 0 { throw context.failure(code, "delete from \(database.name)") }
        return true
      }
      return false
    }
  }
}

extension WriteTransaction {
  /// A cursor for writing; it must go out of scope before this transaction, or one nested in it, ends.
  public func writeCursor(_ database: Database) throws -> WriteCursor {
    view.assertAlive()
    var cursor: OpaquePointer?
    let code = mdb_cursor_open(view.transaction, database.handle, &cursor)
    if code != 0 { throw context.failure(code, "open a cursor on \(database.name)") }
    // LMDB sets the pointer whenever it returns success.
    return WriteCursor(cursor: cursor!, context: context, database: database)
  }
}
