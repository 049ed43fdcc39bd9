public import CLMDB

/// A position in a database. Closes when it goes out of scope, which must be before its transaction ends.
///
/// Entries come in the byte order of their keys and are part of the memory map; see ``TransactionView``
/// for how long they live. After a nil from `seek` the position is undefined: seek again.
public struct Cursor: ~Copyable {
  public struct Entry {
    public var key: RawBytes
    public var value: RawBytes

    @inlinable
    public init(key: RawBytes, value: RawBytes) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline let cursor: OpaquePointer
  @usableFromInline let view: TransactionView

  @usableFromInline
  init(cursor: OpaquePointer, view: TransactionView) {
    self.cursor = cursor
    self.view = view
  }

  deinit {
    // LMDB frees the cursors of a write transaction at its end; closing one again would corrupt memory.
    precondition(view.state.pointee.serial == view.serial, "a cursor outlived its transaction")
    mdb_cursor_close(cursor)
  }

  @inlinable
  borrowing func move(_ operation: MDB_cursor_op) throws -> Entry? {
    try move(operation, from: MDB_val())
  }

  @inlinable
  borrowing func move(_ operation: MDB_cursor_op, from start: MDB_val) throws -> Entry? {
    view.assertAlive()
    var key = start
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    try check(code, "move a cursor")
    return Entry(key: RawBytes(key), value: RawBytes(value))
  }

  @inlinable
  public borrowing func first() throws -> Entry? { try move(MDB_FIRST) }

  @inlinable
  public borrowing func last() throws -> Entry? { try move(MDB_LAST) }

  /// The following entry; the first, if the cursor has not moved yet.
  @inlinable
  public borrowing func next() throws -> Entry? { try move(MDB_NEXT) }

  /// The preceding entry; the last, if the cursor has not moved yet.
  @inlinable
  public borrowing func previous() throws -> Entry? { try move(MDB_PREV) }

  /// The first entry whose key is not less than `key`.
  @inlinable
  public borrowing func seek(_ key: RawBytes) throws -> Entry? { try move(MDB_SET_RANGE, from: key.value) }

  @inlinable
  public borrowing func seek(_ key: [UInt8]) throws -> Entry? {
    try key.withUnsafeBytes { try seek(RawBytes($0)) }
  }

  /// The last entry whose key is less than `key`.
  @inlinable
  public borrowing func seek(before key: RawBytes) throws -> Entry? {
    try seek(key) == nil ? last() : previous()
  }

  /// The entry with exactly this key, or nil.
  @inlinable
  public borrowing func seek(exactly key: RawBytes) throws -> Entry? {
    try move(MDB_SET_KEY, from: key.value)
  }
}
