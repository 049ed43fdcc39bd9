import CLMDB
import Synchronization

extension Environment {
  /// Runs a write transaction on the calling thread from begin to end. Commits when `body` returns, aborts when it
  /// throws.
  ///
  /// `body` may run several times: when the map is too small, or databases were opened meanwhile,
  /// everything is undone and it starts again. A write inside a write traps; use `nested`.
  ///
  /// After a throw the file is unchanged, with one exception: `outcomeUnknown` says that the last
  /// write to the device failed. Then the commit may or may not be there, and the environment is
  /// unusable until all its users let go of it and it is opened again. `mapFull` is thrown when the
  /// map can grow no further, `diskFull` when the file system has no room.
  @inlinable
  public func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
    try lockWriter()
    defer { unlockWriter() }
    while true {
      try beginWrite()
      let outcome: Swift.Result<Result, any Error>
      do {
        outcome = .success(try body(WriteTransaction(context: writeContext)))
      } catch {
        outcome = .failure(error)
      }
      switch outcome {
      case .success(let result):
        if try commitWrite() { return result }
      case .failure(let error):
        if try abortWrite() { throw error }
      }
    }
  }

  @usableFromInline
  func lockWriter() throws {
    checkProcess()
    precondition(!gate.callerIsWriter, "a write transaction was begun inside another; use nested(_:)")
    if isReadOnly {
      throw LMDBError(
        .accessDenied, operation: "write to the environment at \(path)", detail: "it was opened for reading only")
    }
    writerLock.lock()
    do {
      if isUnusable {
        throw LMDBError(
          .panic, operation: "write to the environment at \(path)",
          detail: "an earlier commit failed on the device; close it everywhere and open it again")
      }
      try clearReadersWhenDue()
    } catch {
      writerLock.unlock()
      throw error
    }
  }

  /// One dead reader made 2,000 small commits grow the file by 8,039 pages (measured); a look costs microseconds.
  private func clearReadersWhenDue() throws {
    let isDue = lastReaderCheck.withLock { last in
      let now = ContinuousClock.now
      guard last.duration(to: now) >= readerCheckInterval else { return false }
      last = now
      return true
    }
    if isDue { try checkStaleReaders() }
  }

  @usableFromInline
  func unlockWriter() { writerLock.unlock() }

  @usableFromInline
  func beginWrite() throws {
    while true {
      gate.enterWriter()
      let code = writeContext.begin()
      if code == 0 { return try prepareRedoLog() }
      gate.leaveWriter()
      guard code == MDB_MAP_RESIZED else {
        throw LMDBError(returnCode: code, operation: "write to the environment at \(path)", directory: path)
      }
      try adoptMapSize()
    }
  }

  /// Whether the commit took place; if not, the closure must run again.
  @usableFromInline
  func commitWrite() throws -> Bool {
    if writeContext.mustRunAgain {
      // The closure swallowed the error; its transaction is incomplete.
      _ = try abortWrite()
      return false
    }
    let seenMapSize = mapSizeBytes
    let isLogged = try logChanges()
    let code = writeContext.commit(isLogged: isLogged)
    if code == 0 { noteCommit(isLogged: isLogged) }
    gate.leaveWriter()
    if code == 0 { return true }
    if isLogged { try withdrawChanges() }
    if writeContext.needsLargerMap {
      try growMap(from: seenMapSize)
      return false
    }
    let failure = commitFailure(code)
    // What is logged was not to be flushed by LMDB, so no flush has failed.
    if !isLogged { refuseWrites(after: failure) }
    throw failure
  }

  /// Whether the closure's own error is the result; if not, it must run again.
  @usableFromInline
  func abortWrite() throws -> Bool {
    let seenMapSize = mapSizeBytes
    writeContext.abort()
    gate.leaveWriter()
    if writeContext.needsLargerMap { try growMap(from: seenMapSize) }
    return !writeContext.mustRunAgain
  }

  /// LMDB refuses everything after a failed write of the meta page; that is how one is recognised.
  private func commitFailure(_ code: Int32) -> LMDBError {
    var failure = LMDBError(returnCode: code, operation: "commit to the environment at \(path)", directory: path)
    var probe: OpaquePointer?
    let probeCode = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &probe)
    if probeCode == 0 { mdb_txn_abort(probe) }
    if probeCode == MDB_PANIC {
      markUnusable()
      failure.code = .outcomeUnknown
      failure.detail += "; it may or may not have taken place, close the environment and open it again to see"
    }
    return failure
  }
}
