import CLMDB

/// Makes sure, after a flush that failed, that the device has what the processes see.
///
/// What the system could not write counts as written from then on, so a later flush says nothing of it. The proof
/// writes every page again, as the processes see it, flushes the file, and reads all trees: each page is intact, and
/// the entries are as many as LMDB says. Then the mark of the failed flush goes. It runs while no transaction writes,
/// and reads the whole file twice and writes it once.
struct DataFileProof {
  private static let chunkBytes = 1 << 20

  let file: DataFile
  let environment: OpaquePointer
  let directory: String

  /// Throws what the device says, or `corrupted` where the file is damaged; the mark stays then.
  func run() throws {
    var transaction: OpaquePointer?
    // LMDB's writer lock keeps all processes from writing.
    try check(mdb_txn_begin(environment, nil, 0, &transaction), "write to the environment at \(directory)")
    defer { mdb_txn_abort(transaction) }
    guard try file.hasFailedFlush() else { return }
    try writeAgain()
    try file.flush()
    let survey = try DataFileSurvey.run(directory: directory, includingStrays: false) { _, _, _ in }
    if let failure = survey.readFailure { throw failure }
    guard survey.isIntact else { throw damaged }
    try file.forgetFailedFlush()
  }

  private func writeAgain() throws {
    var status = stat()
    if fstat(file.descriptor, &status) != 0 {
      throw LMDBError(returnCode: lastSystemError(), operation: "measure the data file")
    }
    var offset = 0
    while offset < Int(status.st_size) {
      let count = min(Self.chunkBytes, Int(status.st_size) - offset)
      guard let bytes = try DataFileMeta.read(file.descriptor, at: offset, count: count) else { throw damaged }
      try file.write(bytes, at: off_t(offset))
      offset += count
    }
  }

  private var damaged: LMDBError {
    LMDBError(
      .corrupted, operation: "open the environment at \(directory)",
      detail: "a flush of its data file failed earlier, and pages of its last commits are not as they were written")
  }
}
