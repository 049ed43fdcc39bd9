import CLMDB

extension Environment {
  /// Sizes and counts of an environment at one moment.
  public struct Information: Sendable {
    /// The address space of the map, and so the most that the file can hold now.
    public var mapSizeBytes: Int
    /// The file up to its last used page, free pages inside included.
    public var usedBytes: Int
    /// The last commit; it may run ahead of the snapshot that a reader gets.
    public var lastTransactionID: UInt64
    /// The slots of the reader table, taken or not.
    public var maximumReaders: Int
    /// Slots in use over all processes, idle pooled readers included.
    public var activeReaders: Int
  }

  /// Measures the environment. Costs no look at the file.
  /// - Throws: ``LMDBError``.
  public func information() throws -> Information {
    checkProcess()
    var information = MDB_envinfo()
    var statistics = MDB_stat()
    try check(mdb_env_info(handle.pointer, &information), "measure the environment at \(path)")
    try check(mdb_env_stat(handle.pointer, &statistics), "measure the environment at \(path)")
    return Information(
      mapSizeBytes: information.me_mapsize,
      usedBytes: (information.me_last_pgno + 1) * Int(statistics.ms_psize),
      lastTransactionID: UInt64(information.me_last_txnid),
      maximumReaders: Int(information.me_maxreaders),
      activeReaders: Int(information.me_numreaders))
  }

  /// Clears reader slots of dead processes; returns how many there were.
  ///
  /// A dead reader keeps every page of its snapshot from being reused, so call it before large writes
  /// and from time to time.
  ///
  /// - Throws: ``LMDBError``.
  @discardableResult
  public func checkStaleReaders() throws -> Int {
    checkProcess()
    var dead: Int32 = 0
    try check(mdb_reader_check(handle.pointer, &dead), "clear the dead readers of \(path)")
    return Int(dead)
  }
}

extension Environment {
  /// Whether the calling thread runs the write transaction: to begin another one there would never end.
  public var isWriting: Bool { gate.callerIsWriter }
}
