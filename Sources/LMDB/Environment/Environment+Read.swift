import CLMDB

extension Environment {
  /// Lends a snapshot. Readers come from a pool; keep the closure short: no page that the snapshot
  /// sees can be reused before it ends. Entering takes no lock.
  ///
  /// Throws what `body` throws, `readersFull` when all slots belong to live transactions, and `panic`
  /// when the environment has failed.
  @inlinable
  public func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
    let reader = try beginRead()
    defer { endRead(reader) }
    return try body(ReadTransaction(view: Self.view(of: reader)))
  }

  @usableFromInline
  static func view(of reader: TransactionState.Reference) -> TransactionView {
    // A reader that has begun has a transaction.
    TransactionView(transaction: reader.pointee.transaction!, state: reader, serial: reader.pointee.serial)
  }

  @usableFromInline
  func beginRead() throws -> TransactionState.Reference {
    checkProcess()
    var hasClearedReaders = false
    while true {
      let reader = gate.enterReader()
      let code = begin(reader)
      if code == 0 { return reader }
      // Asked inside the gate, so it is the map that the reader met.
      let seenMapSize = code == MDB_MAP_RESIZED ? mapSizeBytes : 0
      gate.leaveReader(reader)
      switch code {
      case MDB_MAP_RESIZED:
        try adoptMapSize(from: seenMapSize)
      case MDB_READERS_FULL where !hasClearedReaders:
        hasClearedReaders = true
        try checkStaleReaders()
      default:
        throw LMDBError(returnCode: code, operation: "read the environment at \(path)", directory: path)
      }
    }
  }

  private func begin(_ reader: TransactionState.Reference) -> Int32 {
    let code: Int32
    if let pooled = reader.pointee.transaction {
      code = mdb_txn_renew(pooled)
      if code != 0 { ReaderPool.discard(reader) }
    } else {
      code = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &reader.pointee.transaction)
    }
    if code == 0 { reader.pointee.start() }
    return code
  }

  @usableFromInline
  func endRead(_ reader: TransactionState.Reference) {
    reader.pointee.serial = 0
    // A reader that ends has begun.
    mdb_txn_reset(reader.pointee.transaction!)
    gate.leaveReader(reader)
  }

  /// Ends a read by commit, which shares the databases it opened, and returns LMDB's code.
  func commitRead(_ reader: TransactionState.Reference) -> Int32 {
    let code = mdb_txn_commit(reader.pointee.transaction)
    reader.pointee.transaction = nil
    reader.pointee.serial = 0
    gate.leaveReader(reader)
    return code
  }
}
