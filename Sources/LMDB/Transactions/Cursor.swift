public import CLMDB
import ForeignLayouts

/// A position in a database. Closes when it goes out of scope, which must be before its transaction ends.
///
/// Entries come in the byte order of their keys and are part of the memory map; see ``TransactionView``
/// for how long they live. After a nil from `seek` the position is undefined: seek again.
///
/// In a reader's snapshot LMDB is asked for an entry or two of each leaf page, and the others are read where they lie;
/// see `LeafPage`. In a write transaction, and for values that have pages of their own, LMDB is asked for each.
public struct Cursor: ~Copyable {
  /// A key with its value, as they lie in the map.
  public struct Entry {
    /// The key; of a section without the section's two bytes.
    public var key: RawBytes
    /// The value.
    public var value: RawBytes

    /// Creates an entry from its parts.
    @inlinable
    public init(key: RawBytes, value: RawBytes) {
      self.key = key
      self.value = value
    }
  }

  @usableFromInline let cursor: OpaquePointer
  @usableFromInline let view: TransactionView
  @usableFromInline let database: Database
  /// Whether ``database`` is a section; a load for walks, which ask it at each entry.
  @usableFromInline let isInSection: Bool
  /// Whether this is a position in a section that was asked for an entry already.
  @usableFromInline var hasMoved = false
  /// The page of this position; empty while only LMDB knows it.
  @usableFromInline var page = LeafPage()
  /// The place of this position in ``page``.
  @usableFromInline var place = 0
  /// The place of LMDB's own position in ``page``; nil if that is in another one.
  private var placeOfLMDB: Int?
  /// The key that LMDB has just moved to, whose page was not looked at yet.
  @usableFromInline var arrival: RawBytes?
  /// Whether LMDB moved by a step. A seek with one step more need not know the page.
  @usableFromInline var isWalking = false
  /// To ``page``, for walks that have left ``pagesBeforePath`` pages.
  private var path: LeafPath?
  private var pagesLeft = 0

  /// A path costs as much as leaving some pages by LMDB.
  private static let pagesBeforePath = 2

  @usableFromInline
  init(cursor: OpaquePointer, _ database: Database, view: TransactionView) {
    self.cursor = cursor
    self.database = database
    isInSection = database.section != nil
    self.view = view
  }

  deinit {
    // LMDB frees the cursors of a write transaction at its end; closing one again would corrupt memory.
    precondition(view.state.pointee.serial == view.serial, "a cursor outlived its transaction")
    mdb_cursor_close(cursor)
  }

  @inlinable
  mutating func move(_ operation: MDB_cursor_op, from start: MDB_val = MDB_val()) throws -> Entry? {
    view.assertAlive()
    page = LeafPage()
    arrival = nil
    isWalking = false
    var key = start
    var value = MDB_val()
    let code = mdb_cursor_get(cursor, &key, &value, operation)
    if code == MDB_NOTFOUND { return nil }
    try check(code, "move a cursor")
    let entry = Entry(key: RawBytes(key), value: RawBytes(value))
    arrival = entry.key
    return entry
  }

  /// To the entry before or behind this one: by ``page`` if it is there, else by LMDB.
  @inlinable
  mutating func step(by distance: Int, _ operation: MDB_cursor_op) throws -> Entry? {
    view.assertAlive()
    guard let entry = page.entry(at: place &+ distance) else { return try leavePage(by: distance, operation) }
    place &+= distance
    return entry
  }

  @usableFromInline
  mutating func leavePage(by distance: Int, _ operation: MDB_cursor_op) throws -> Entry? {
    if let key = arrival {
      arrival = nil
      if isWalking, try enterPage(of: key, by: distance), let entry = page.entry(at: place + distance) {
        place += distance
        return entry
      }
    } else if page.count > 0 {
      if let entry = try followPath(by: distance) { return entry }
      if placeOfLMDB != place { try bringLMDB() }
    }
    place += distance
    defer { isWalking = true }
    return try move(operation)
  }

  /// Learns the page that LMDB is in. False where LMDB must go on.
  private mutating func enterPage(of key: RawBytes, by distance: Int) throws -> Bool {
    // A writer's changed pages are not in the map. Only readers come from the pool; those beyond it are few.
    guard view.state.pointee.isPooled, ForeignLayout.pages.isOn else { return false }
    var statistics = MDB_stat()
    try check(mdb_stat(view.transaction, database.handle, &statistics), "measure \(database.name)")
    page = LeafPage(around: key, pageBytes: Int(statistics.ms_psize))
    guard try LeafPage.test.passes({ try page.agrees(with: database, in: view) }) else {
      page = LeafPage()
      return false
    }
    let edge = page.edge(towards: distance)
    // Where LMDB was asked for one entry in the middle of a page, and where walks come to the next page.
    if !page.isKey(key, at: place) {
      if page.isKey(key, at: edge) {
        place = edge
      } else {
        pagesLeft = 0
        guard let found = page.place(of: key) else {
          page = LeafPage()
          return false
        }
        place = found
      }
    }
    placeOfLMDB = place
    if path?.leaf != page { path = nil }
    return true
  }

  /// To the page behind this one's edge, if all is there as expected.
  private mutating func followPath(by distance: Int) throws -> Entry? {
    guard place + distance < 0 || place + distance >= page.count else { return nil }
    pagesLeft += 1
    guard pagesLeft > Self.pagesBeforePath else { return nil }
    let isNew = path == nil
    if isNew { path = try LeafPath(to: page, of: database, in: view) }
    guard let next = path?.step(by: distance), let entry = next.entry(at: next.edge(towards: distance)),
      // A path whose first step was right is not asked again, at each page.
      try !isNew || LeafPath.test.passes({ try agrees(entry, by: distance) })
    else {
      path = nil
      pagesLeft = 0
      return nil
    }
    page = next
    place = next.edge(towards: distance)
    placeOfLMDB = nil
    return entry
  }

  private func agrees(_ next: Entry, by distance: Int) throws -> Bool {
    guard let key = page.key(at: place) else { return false }
    return try LeafPage.withCursor(on: database, in: view) { cursor in
      try LeafPath.agrees(next, after: key, by: distance, with: cursor)
    }
  }

  /// Brings LMDB to this position.
  private mutating func bringLMDB() throws {
    guard var key = page.key(at: place)?.value else { return }
    var value = MDB_val()
    try check(mdb_cursor_get(cursor, &key, &value, MDB_SET), "move a cursor")
  }

  /// Moves to the first entry; nil in an empty database.
  /// - Throws: ``LMDBError``, as every move of a cursor does.
  @inlinable
  public mutating func first() throws -> Entry? {
    guard let section = database.section else { return try move(MDB_FIRST) }
    return try first(of: section)
  }

  /// Moves to the last entry; nil in an empty database.
  @inlinable
  public mutating func last() throws -> Entry? {
    guard let section = database.section else { return try move(MDB_LAST) }
    return try last(of: section)
  }

  /// The following entry; the first, if the cursor has not moved yet.
  @inlinable
  public mutating func next() throws -> Entry? {
    try isInSection ? nextOfSection() : step(by: 1, MDB_NEXT)
  }

  /// The preceding entry; the last, if the cursor has not moved yet.
  @inlinable
  public mutating func previous() throws -> Entry? {
    try isInSection ? previousOfSection() : step(by: -1, MDB_PREV)
  }

  /// The first entry whose key is not less than `key`.
  @inlinable
  public mutating func seek(_ key: RawBytes) throws -> Entry? {
    guard let section = database.section else { return try move(MDB_SET_RANGE, from: key.value) }
    return try seek(key, in: section)
  }

  /// The first entry whose key is not less than `key`, given as an array.
  @inlinable
  public mutating func seek(_ key: [UInt8]) throws -> Entry? {
    try key.withUnsafeBytes { try seek(RawBytes($0)) }
  }

  /// The last entry whose key is less than `key`.
  @inlinable
  public mutating func seek(before key: RawBytes) throws -> Entry? {
    if try seek(key) == nil { return try last() }
    let found = try move(MDB_PREV)
    return database.section.map { Self.entry(found, of: $0) } ?? found
  }

  /// The entry with exactly this key, or nil.
  @inlinable
  public mutating func seek(exactly key: RawBytes) throws -> Entry? {
    guard let section = database.section else { return try move(MDB_SET_KEY, from: key.value) }
    hasMoved = true
    return try section.withKey(key) { key in Self.entry(try move(MDB_SET_KEY, from: key.value), of: section) }
  }
}

// In a section.
extension Cursor {
  /// The part of a tree's entry that is seen; nil if it is another section's.
  @usableFromInline
  static func entry(_ whole: Entry?, of section: KeySection) -> Entry? {
    guard let whole, let key = section.key(of: whole.key) else { return nil }
    return Entry(key: key, value: whole.value)
  }

  @usableFromInline
  mutating func nextOfSection() throws -> Entry? {
    guard let section = database.section else { return nil }
    return try hasMoved ? Self.entry(step(by: 1, MDB_NEXT), of: section) : first(of: section)
  }

  @usableFromInline
  mutating func previousOfSection() throws -> Entry? {
    guard let section = database.section else { return nil }
    return try hasMoved ? Self.entry(step(by: -1, MDB_PREV), of: section) : last(of: section)
  }

  @usableFromInline
  mutating func first(of section: KeySection) throws -> Entry? {
    // No key is empty, so this is less than all of the section's.
    try withUnsafeBytes(of: section.number.bigEndian) { start in
      hasMoved = true
      return Self.entry(try move(MDB_SET_RANGE, from: RawBytes(start).value), of: section)
    }
  }

  @usableFromInline
  mutating func last(of section: KeySection) throws -> Entry? {
    hasMoved = true
    guard section.number < .max else { return Self.entry(try move(MDB_LAST), of: section) }
    let isLast = try withUnsafeBytes(of: (section.number + 1).bigEndian) { end in
      try move(MDB_SET_RANGE, from: RawBytes(end).value) == nil
    }
    return Self.entry(try move(isLast ? MDB_LAST : MDB_PREV), of: section)
  }

  @usableFromInline
  mutating func seek(_ key: RawBytes, in section: KeySection) throws -> Entry? {
    hasMoved = true
    return try section.withKey(key) { key in
      Self.entry(try move(MDB_SET_RANGE, from: key.value), of: section)
    }
  }
}
