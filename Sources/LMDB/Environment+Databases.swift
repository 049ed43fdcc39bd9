import CLMDB

extension Environment {
  /// The named database, opened on first use; nil if the file has none of that name.
  ///
  /// Transactions that already run do not know a database that is opened now; open it before the
  /// read that needs it. Called on the thread of a write transaction, it opens the database there.
  /// The first use takes a short read transaction, every other a look-up by name. What is missing is
  /// not remembered: another process may create it at any time.
  public func database(named name: String) throws -> Database? {
    checkProcess()
    if let known = databases.find(name) { return known }
    if gate.callerIsWriter { return try writeContext.openDatabase(named: name, creating: false) }
    while true {
      do {
        return try openInOwnTransaction(name)
      } catch let error as LMDBError where error.code == .mapResized {
        // Throws in turn if it is an outer transaction of this thread that is in the way.
        try adoptMapSize()
      }
    }
  }

  private func openInOwnTransaction(_ name: String) throws -> Database? {
    // The gate first, the handles second: a writer inside the gate may wait for the handles.
    gate.enter()
    defer { gate.leave() }
    databases.lock()
    defer { databases.unlock() }
    if let known = databases.find(name) { return known }

    let reader = try beginRead()
    var handle: UInt32 = 0
    let code = mdb_dbi_open(reader.pointee.transaction, name, 0, &handle)
    guard code == 0 else {
      endRead(reader)
      if code == MDB_NOTFOUND { return nil }
      throw LMDBError(returnCode: code, operation: "open the database \(name)", directory: path)
    }
    // A commit, even of a read transaction, keeps the handle; a reset would close it.
    let commitCode = commitRead(reader)
    try check(commitCode, "open the database \(name)")
    let database = Database(handle: handle, name: name)
    databases.share([database])
    return database
  }
}
