import CLMDB

/// The one write transaction that an environment can have: its nesting levels, the databases it
/// opened, and why it may have to run again.
///
/// Used by the thread that holds the environment's writer lock, and by nobody else.
@usableFromInline
// The environment's writer lock guards all members.
final class WriteContext: @unchecked Sendable {
  /// One level, remembered while a nested transaction runs inside it.
  @usableFromInline
  struct Level {
    var transaction: OpaquePointer
    var serial: UInt64
    var openedCount: Int
  }

  let environment: OpaquePointer
  let directory: String
  let databases: DatabaseHandles
  // Allocated once, so that views which outlive their transaction can still be told.
  let state = TransactionState.Reference.allocate(capacity: 1)

  /// Databases opened by this transaction, shared with others once it has committed.
  private var opened: [Database] = []
  private var seenGeneration: UInt64 = 0
  private var holdsDatabaseLock = false
  /// The room of the outermost transaction, while no nested one runs.
  private var room: DirtyPageRoom
  private var depth = 0

  /// The map was too small; whatever the closure made of that error, it runs again.
  var needsLargerMap = false
  /// Another transaction opened databases after this one began; the next run locks them out.
  var needsDatabaseLock = false
  /// The bound on dirty pages refused what LMDB's own might have taken; the next run has the latter.
  private var needsWholeRoom = false

  init(environment: OpaquePointer, directory: String, databases: DatabaseHandles, maximumDirtyPages: Int) {
    room = DirtyPageRoom(maximum: maximumDirtyPages)
    self.environment = environment
    self.directory = directory
    self.databases = databases
    state.initialize(to: TransactionState(isPooled: false))
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  private var transaction: OpaquePointer {
    // Set between begin and end, the only time a WriteTransaction exists.
    state.pointee.transaction!
  }

  @usableFromInline
  var view: TransactionView {
    TransactionView(transaction: transaction, state: state, serial: state.pointee.serial)
  }

  var mustRunAgain: Bool { needsLargerMap || needsDatabaseLock || needsWholeRoom }

  // MARK: Begin and end

  /// Returns LMDB's return code; on failure nothing is held.
  func begin() -> Int32 {
    needsLargerMap = false
    let hasBound = !needsWholeRoom
    needsWholeRoom = false
    if needsDatabaseLock {
      databases.lock()
      holdsDatabaseLock = true
      needsDatabaseLock = false
    }
    seenGeneration = databases.generation
    var transaction: OpaquePointer?
    let code = mdb_txn_begin(environment, nil, 0, &transaction)
    guard code == 0 else {
      releaseDatabaseLock()
      return code
    }
    state.pointee.transaction = transaction
    state.pointee.start()
    if hasBound { room.withhold(from: self.transaction) }
    return 0
  }

  /// Returns LMDB's return code; the transaction is over either way.
  func commit() -> Int32 {
    room.giveBack(to: transaction)
    let code = mdb_txn_commit(finish())
    noteRefusal(code)
    if code == 0 { databases.share(opened) }
    forgetOpened()
    return code
  }

  func abort() {
    room.giveBack(to: transaction)
    mdb_txn_abort(finish())
    forgetOpened()
  }

  private func finish() -> OpaquePointer {
    defer {
      state.pointee.transaction = nil
      state.pointee.serial = 0
    }
    return transaction
  }

  private func forgetOpened() {
    opened.removeAll(keepingCapacity: true)
    releaseDatabaseLock()
  }

  private func releaseDatabaseLock() {
    guard holdsDatabaseLock else { return }
    holdsDatabaseLock = false
    databases.unlock()
  }

  // MARK: Nesting

  @usableFromInline
  func beginNested() throws -> Level {
    let outer = Level(
      transaction: transaction, serial: state.pointee.serial, openedCount: opened.count)
    // LMDB counts the pages of both by the room that is left.
    if depth == 0 { room.giveBack(to: outer.transaction) }
    var child: OpaquePointer?
    let code = mdb_txn_begin(environment, outer.transaction, 0, &child)
    if code != 0 {
      if depth == 0 { room.withhold(from: outer.transaction) }
      throw failure(code, "begin a nested transaction")
    }
    depth += 1
    state.pointee.transaction = child
    state.pointee.start()
    return outer
  }

  @usableFromInline
  func commitNested(returningTo outer: Level) throws {
    let code = mdb_txn_commit(transaction)
    restore(outer)
    guard code == 0 else {
      forgetDatabases(since: outer)
      throw failure(code, "commit a nested transaction")
    }
  }

  @usableFromInline
  func abortNested(returningTo outer: Level) {
    mdb_txn_abort(transaction)
    forgetDatabases(since: outer)
    restore(outer)
  }

  private func forgetDatabases(since outer: Level) { opened.removeLast(opened.count - outer.openedCount) }

  private func restore(_ outer: Level) {
    state.pointee.transaction = outer.transaction
    state.pointee.serial = outer.serial
    depth -= 1
    if depth == 0 { room.withhold(from: outer.transaction) }
  }

  // MARK: Databases

  /// Opens a database in the innermost transaction; nil if it is not there and not to be created.
  func openDatabase(named name: String, creating: Bool) throws -> Database? {
    try reserveHandles(for: name)
    var handle: UInt32 = 0
    let code = mdb_dbi_open(transaction, name, creating ? UInt32(MDB_CREATE) : 0, &handle)
    if code == MDB_NOTFOUND { return nil }
    if code != 0 { throw failure(code, "open the database \(name)") }
    let database = Database(handle: handle, name: name)
    if !opened.contains(database) { opened.append(database) }
    return database
  }

  /// LMDB forbids two running transactions to open databases, and one that began before another
  /// opened some would give out the same handles a second time.
  private func reserveHandles(for name: String) throws {
    if holdsDatabaseLock { return }
    databases.lock()
    guard databases.generation == seenGeneration else {
      databases.unlock()
      needsDatabaseLock = true
      throw LMDBError(
        .databaseOpenedLater, operation: "open the database \(name)",
        detail: "another transaction opened databases meanwhile; the write runs again")
    }
    holdsDatabaseLock = true
  }

  // MARK: Failures

  /// The error for a return code, after noting whether the closure must run again.
  @usableFromInline
  func failure(_ code: Int32, _ operation: String) -> LMDBError {
    noteRefusal(code)
    return LMDBError(returnCode: code, operation: operation, directory: directory)
  }

  private func noteRefusal(_ code: Int32) {
    if code == MDB_MAP_FULL { needsLargerMap = true }
    if code == MDB_TXN_FULL, room.withheld > 0 { needsWholeRoom = true }
  }
}
