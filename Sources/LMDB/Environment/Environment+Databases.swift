import CLMDB

extension Environment {
  /// The named database, opened on first use; nil if the file has none of that name. See ``databases(named:)``.
  public func database(named name: String) throws -> Database? { try databases(named: [name])[0] }

  /// The named databases in their order, opened on first use; nil where the file has none of a name.
  ///
  /// Transactions that already run do not know a database that is opened now; open it before the
  /// read that needs it. Called on the thread of a write transaction, it opens the databases there.
  /// The first use takes one short read transaction for all, every other a look-up by name. A missing database is
  /// not remembered: another process may create it at any time.
  public func databases(named names: [String]) throws -> [Database?] {
    checkProcess()
    let known = names.map(databases.find)
    if known.allSatisfy({ $0 != nil }) { return known }
    if gate.callerIsWriter { return try names.map(openInWriteTransaction) }
    while true {
      let seenMapSize = mapSizeBytes
      do {
        return try openInOwnTransaction(names)
      } catch let error as LMDBError where error.code == .mapResized {
        // Throws in turn if it is an outer transaction of this thread that is in the way.
        try adoptMapSize(from: seenMapSize)
      }
    }
  }

  private func openInWriteTransaction(_ name: String) throws -> Database? {
    try databases.find(name) ?? writeContext.openDatabase(named: name, creating: false)
  }

  private func openInOwnTransaction(_ names: [String]) throws -> [Database?] {
    // The gate first, the handles second: a writer inside the gate may wait for the handles.
    gate.enter()
    defer { gate.leave() }
    databases.lock()
    defer { databases.unlock() }
    let reader = try beginRead()
    var opened: [Database?] = []
    for name in names {
      var handle: UInt32 = 0
      // A text that is passed as it is would be copied first, and an opening passes some two dozen.
      let code = name.withCString { mdb_dbi_open(reader.pointee.transaction, $0, 0, &handle) }
      guard code == 0 || code == MDB_NOTFOUND else {
        endRead(reader)
        throw LMDBError(returnCode: code, operation: "open the database \(name)", directory: path)
      }
      opened.append(code == 0 ? Database(handle: handle, name: name) : nil)
    }
    // A commit, even of a read transaction, keeps the handles; a reset would close them.
    let commitCode = commitRead(reader)
    try check(commitCode, "open \(names.count) databases")
    databases.share(opened.compactMap(\.self))
    return opened
  }
}
