import CLMDB

/// Takes a data file back to the checkpoint of its redo log, and says which commits are to be done again.
///
/// Used by who opens the environment alone, before LMDB does. Nothing is lost if it is cut off: until the commit that
/// does all again is on the device, the data file's transaction id stays within the log's, and the next who opens
/// begins anew; no page of the checkpoint's snapshot is written over by that commit, as its readers are none and its
/// number is the next.
struct RedoRecovery {
  private let file: RedoFile
  private let directory: String

  init(_ file: RedoFile, directory: String) {
    self.file = file
    self.directory = directory
  }

  /// The commits that the data file may lack; none where the log is empty or void. A void one is erased.
  func pending(mayWrite: Bool) throws -> [RedoRecord] {
    guard var tail = try RedoTail(beginningOf: file) else { return [] }
    var records: [RedoRecord] = []
    while let record = try tail.next(in: file) {
      records.append(record)
      tail.advance(over: RedoRecord.headerBytes + record.changes.count)
    }
    let counts = try !records.isEmpty && counts(tail)
    if mayWrite {
      if !counts { try file.erase(at: RedoFile.firstRecord) }
    } else if counts {
      throw LMDBError(
        .recoveryNeeded, operation: "open the environment at \(directory)",
        detail: "its last commits are in its log alone since a crash; open it once for writing")
    }
    return counts ? records : []
  }

  /// Whether the data file belongs to the log, and may lack some of it.
  private func counts(_ tail: RedoTail) throws -> Bool {
    try withDataFile(O_RDONLY) { descriptor in
      let metas = DataFileMeta.all(descriptor)
      guard let newest = metas.map(\.transactionID).max() else { return false }
      guard (tail.checkpoint.transactionID...tail.lastTransactionID).contains(newest) else { return false }
      // Another file may have been put in the place of the log's own.
      return tail.checkpoint.belongs(to: descriptor, metas)
    }
  }

  /// Makes the checkpoint the data file's last commit. Its number becomes that of the log's last record, so that the
  /// commit which follows makes the log void.
  func rewind(to checkpoint: RedoCheckpoint, lastTransactionID: UInt64) throws {
    try withDataFile(O_RDWR) { descriptor in
      for id in [lastTransactionID - 1, lastTransactionID] {
        var meta = checkpoint.meta
        meta.transactionID = id
        let code = meta.write(to: descriptor)
        if code != 0 { throw failure(code) }
      }
      let code = flushFile(descriptor)
      if code != 0 { throw failure(code) }
    }
  }

  private func withDataFile<Result>(_ flags: Int32, _ body: (Int32) throws -> Result) throws -> Result {
    let descriptor = openFile(directory + "/data.mdb", flags | O_CLOEXEC, 0)
    if descriptor < 0 { throw failure(lastSystemError()) }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  private func failure(_ code: Int32) -> LMDBError {
    LMDBError(returnCode: code, operation: "bring the environment at \(directory) back", directory: directory)
  }
}
