import CLMDB

// What ``RedoLog`` has to do with the steps of a write.
extension Environment {
  /// In a write transaction that has just begun; ends it on a throw.
  func prepareRedoLog() throws {
    do {
      try redoLog?.prepare(for: writeContext.transactionID)
    } catch {
      writeContext.abort()
      gate.leaveWriter()
      refuseFailed()
      throw error
    }
  }

  /// After a flush that failed while commits are in the log alone: who opens the environment alone does them again.
  private func refuseFailed() { if redoLog?.hasFailed ?? false { markUnusable() } }

  /// After a commit that failed and was not logged.
  func refuseWrites(after failure: LMDBError) {
    guard let redoLog, redoLog.isNeeded, failure.code == .inputOutput else { return }
    redoLog.noteFailure()
    refuseFailed()
  }

  /// After a flush outside of a write, in which commits may be in the log alone.
  func refuseWritesAfterFlush() {
    guard let redoLog else { return }
    markUnusable()
    if gate.callerIsWriter { redoLog.noteFailure() } else { writerLock.withLock { redoLog.noteFailure() } }
  }

  /// Before the commit; whether that need not wait for the device. Ends the transaction on a throw.
  func logChanges() throws -> Bool {
    guard let redoLog else { return false }
    do {
      return try redoLog.append(writeContext.changes, of: writeContext.transactionID)
    } catch {
      writeContext.abort()
      gate.leaveWriter()
      if let error = error as? LMDBError, error.code == .outcomeUnknown { markUnusable() }
      throw error
    }
  }

  func noteCommit(isLogged: Bool) {
    if isLogged {
      redoLog?.didCommitAppended()
    } else if !writeContext.changes.isComplete {
      redoLog?.didCommitMuch()
    }
  }

  /// After the failure of a commit whose changes are in the log: they must not be done again after a crash.
  func withdrawChanges() throws {
    do {
      // Whoever begins to write erases what was logged and not committed; another process may have done so already.
      try beginWrite()
      writeContext.abort()
      gate.leaveWriter()
    } catch {
      markUnusable()
      throw RedoLog.unknownOutcome(error, path)
    }
  }

  /// Whether ``rest()`` has something to do.
  public var isRestless: Bool { redoLog?.isPinned ?? false }

  /// For a writer who has nothing to do for a moment: lets other processes use pages again that the log needed, and
  /// brings what small commits left there to the data file. Outside of a write.
  ///
  /// `locked` runs the second part, which waits for LMDB's writer lock; it need not where others write, who make up for
  /// it. Costs two flushes if commits were logged since the last rest, else nothing. A throw leaves all commits safe.
  public func rest(locked: (() throws -> Void) throws -> Void = { try $0() }) throws {
    checkProcess()
    guard let redoLog, isRestless else { return }
    try lockWriter()
    defer { unlockWriter() }
    gate.enterWriter()
    redoLog.releasePin()
    gate.leaveWriter()
    try locked { try makeCheckpoint() }
  }

  /// Without a pin, beginning to write makes a checkpoint if there is something in the log.
  private func makeCheckpoint() throws {
    try beginWrite()
    writeContext.abort()
    gate.leaveWriter()
  }

  /// At the end: the last process that uses the environment leaves no log.
  func leaveRedoLog() {
    guard let redoLog else { return }
    redoLog.releasePin()
    guard !isReadOnly, !isUnusable else { return }
    redoLog.leave {
      // What could not be brought to the data file stays in the log, for who opens the environment next.
      do { try makeCheckpoint() } catch { return }
    }
  }
}
