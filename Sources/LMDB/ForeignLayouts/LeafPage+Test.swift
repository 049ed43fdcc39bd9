import CLMDB
import ForeignLayouts

// A pointer file: LMDB's own cursor is asked beside the page, and what both say is compared by its place in memory.
extension LeafPage {
  static let test = LayoutTest(of: .pages)

  /// Whether LMDB has exactly the entries that were read here, at the same places in memory. Nil of a page without
  /// entries, which is none that is understood.
  func agrees(with database: Database, in view: TransactionView) throws -> Bool? {
    guard count > 0 else { return nil }
    guard let first = key(at: 0) else { return false }
    return try Self.withCursor(on: database, in: view) { cursor in
      guard try Self.move(cursor, MDB_SET_KEY, from: first) != nil else { return false }
      if let before = try Self.move(cursor, MDB_PREV), contains(before.key) { return false }
      var found = try Self.move(cursor, MDB_SET_KEY, from: first)
      for place in 0..<count {
        guard let entry = found, agrees(entry, at: place) else { return false }
        found = try Self.move(cursor, MDB_NEXT)
      }
      return found.map { !contains($0.key) } ?? true
    }
  }

  /// An entry that LMDB must give has its value elsewhere, or is what the list of databases has of one.
  private func agrees(_ found: Cursor.Entry, at place: Int) -> Bool {
    guard let read = entry(at: place) else {
      return key(at: place)?.isSameMemory(found.key) == true && (!contains(found.value) || isDatabase(at: place))
    }
    return read.isSameMemory(found)
  }

  private func isDatabase(at place: Int) -> Bool {
    TreePage.node(place, of: start, pageBytes: byteCount).map { TreePage.isDatabase($0) } ?? false
  }

  private func contains(_ bytes: RawBytes) -> Bool { (0..<byteCount).contains(bytes.start - start) }

  static func withCursor<Result>(
    on database: Database, in view: TransactionView, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(view.transaction, database.handle, &cursor), "open a cursor on \(database.name)")
    defer { mdb_cursor_close(cursor) }
    // LMDB sets the pointer whenever it returns success.
    return try body(cursor!)
  }

  static func move(_ cursor: OpaquePointer, _ operation: MDB_cursor_op, from start: RawBytes? = nil) throws -> Cursor
    .Entry?
  {
    var key = start?.value ?? MDB_val()
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    try check(code, "move a cursor")
    return Cursor.Entry(key: RawBytes(key), value: RawBytes(value))
  }
}

extension Cursor.Entry {
  func isSameMemory(_ other: Cursor.Entry) -> Bool { key.isSameMemory(other.key) && value.isSameMemory(other.value) }
}

extension RawBytes {
  func isSameMemory(_ other: RawBytes) -> Bool { start == other.start && count == other.count }
}
