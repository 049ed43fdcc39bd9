import CLMDB
import Synchronization

extension Environment {
  /// Runs a write transaction on the calling thread from begin to end. Commits when `body` returns, aborts when it
  /// throws.
  ///
  /// `body` may run several times: when the map is too small, or databases were opened meanwhile,
  /// everything is undone and it starts again. A write inside a write traps; use `nested`.
  ///
  /// After a throw the file is unchanged, with one exception: `outcomeUnknown` says that the last write to the device
  /// failed. Then the commit may or may not be there.
  ///
  /// After a flush that failed, and after `outcomeUnknown`, `panic` refuses every write of every process until the
  /// environment was closed, opened again and proven. `filesReplaced` says that other processes cannot be kept apart
  /// any more. `diskFull` is thrown when the file system has no room, and writes go on once it has. `mapFull` is
  /// thrown when the map cannot grow: it has its greatest size, the process may have no more address space, or this
  /// thread reads.
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
        throw failedEarlier
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
      if code == 0 { return try requireSound() }
      let seenMapSize = mapSizeBytes
      gate.leaveWriter()
      guard code == MDB_MAP_RESIZED else {
        throw LMDBError(returnCode: code, operation: "write to the environment at \(path)", directory: path)
      }
      try adoptMapSize(from: seenMapSize)
    }
  }

  /// In a write transaction that has just begun, which excludes other writers; ends it on a throw.
  private func requireSound() throws {
    do {
      try requireFiles()
      if waitsForDevice, try dataFile.hasFailedFlush() { throw failedEarlier }
    } catch {
      writeContext.abort()
      gate.leaveWriter()
      if let error = error as? LMDBError, [.filesReplaced, .panic].contains(error.code) { markUnusable() }
      throw error
    }
  }

  private var failedEarlier: LMDBError {
    LMDBError(
      .panic, operation: "write to the environment at \(path)",
      detail: "an earlier commit failed on the device; close it everywhere and open it again")
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
    keepRoomAhead()
    let code = writeContext.commit()
    gate.leaveWriter()
    if code == 0 { return true }
    if writeContext.needsLargerMap {
      try growMap(from: seenMapSize)
      return false
    }
    throw commitFailure(code)
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
      refuseWrites()
      failure.code = .outcomeUnknown
      failure.detail += "; it may or may not have taken place, close the environment and open it again to see"
    } else if mayHaveFailedToFlush(code, failure) {
      refuseWrites()
      failure = LMDBError(
        .flushFailed, operation: "commit to the environment at \(path)", detail: String(cString: mdb_strerror(code)))
    }
    return failure
  }

  /// Whether the error of a commit may be that of its flush. LMDB does not say which of its calls failed.
  ///
  /// What a full disk or a limit of file size refuses was not written at all, and is none; the system would tell of a
  /// failed flush again, through another descriptor.
  private func mayHaveFailedToFlush(_ code: Int32, _ failure: LMDBError) -> Bool {
    // LMDB's own codes are negative.
    guard waitsForDevice, code > 0, ![ENOMEM, EFBIG, EINVAL].contains(code) else { return false }
    guard [.diskFull, .other(EFBIG)].contains(failure.code), ShortWrite.cause(at: path) != nil else { return true }
    do {
      try dataFile.flush()
      return false
    } catch {
      return true
    }
  }
}
