import CLMDB
import Synchronization

/// Lets a small durable commit wait for one flush instead of LMDB's two: what it writes goes in one piece to
/// ``RedoFile``, is flushed there, and LMDB commits without waiting for the device.
///
/// After a power cut the data file may then hold any of the pages since the last **checkpoint**, the last commit that
/// was on the device as a whole. So whoever opens the environment alone takes the data file back to the checkpoint and
/// does the logged commits again (``RedoRecovery``). For that, two things hold at every moment:
///
/// - *No page of the checkpoint's snapshot is written over* while records go on from it. LMDB does not reuse pages that
///   a reader sees, so a process that logs keeps a read transaction, the **pin**, that is not younger than the
///   checkpoint. A process without one, before it writes anything, flushes the data file and erases the log
///   (``prepare(for:)``). So a pin may end at any time, also with its process.
/// - *The log says whether it counts*: its last transaction id is not less than the data file's. Every commit that
///   is not logged is on the device, data before meta page, before a log begins with it, and makes the one before void:
///   who commits without waiting for the device leaves a mark (``RedoFile/setMark()``), and who begins a log then
///   flushes the data file first.
///
/// A log has at most ``RedoTail/maximumCount`` records; the commit after these waits for LMDB's flushes, and is the
/// next checkpoint.
// @unchecked: the environment's writer lock guards the members. A change of the map, and the end, release the pin
// without it, and the gate lets no writer in meanwhile.
final class RedoLog: @unchecked Sendable {
  private let file: RedoFile
  private let use: DataFileUse
  private let environment: OpaquePointer
  private let pageSize: Int
  /// False where commits need not survive a power cut one by one; such a process only follows what others log.
  let logs: Bool
  private var tail: RedoTail?
  /// Whether the data file on the device lacks commits that the log has. Known while a transaction writes.
  ///
  /// Then a flush that fails leaves pages that the system takes for written, and a later one that succeeds says nothing
  /// of them: the log must stay until somebody has done its commits again.
  private(set) var isNeeded = false
  /// Whether such a flush has failed, here or in another process. Then nothing more is written.
  private(set) var hasFailed = false
  private var pin: OpaquePointer? {
    didSet { hasPin.store(pin != nil, ordering: .relaxed) }
  }
  private var pinnedTransactionID: UInt64?
  private let hasPin = Atomic<Bool>(false)
  private var appendedBytes = 0
  private var hasReserved = false

  init(_ file: RedoFile, _ use: DataFileUse, environment: OpaquePointer, pageSize: Int, logs: Bool) {
    self.file = file
    self.use = use
    self.environment = environment
    self.pageSize = pageSize
    self.logs = logs
  }

  // MARK: A write transaction

  /// Follows what others logged, and makes a checkpoint if this process could write over the pages of the last one.
  ///
  /// Called with LMDB's writer lock, before the transaction writes.
  func prepare(for transactionID: UInt64) throws {
    try follow(to: transactionID - 1)
    isNeeded = isLive(before: transactionID)
    if isNeeded, !keepsPages { try checkpoint() }
    if !logs { try file.setMark() }
  }

  /// Whether no page of the checkpoint can be written over.
  private var keepsPages: Bool {
    guard let pinnedTransactionID, let tail else { return false }
    return pinnedTransactionID <= tail.checkpoint.transactionID
  }

  /// Whether the last commit is one that the data file may lack after a power cut.
  private func isLive(before transactionID: UInt64) -> Bool { tail?.lastTransactionID == transactionID - 1 }

  private func follow(to transactionID: UInt64) throws {
    let found = try RedoTail(beginningOf: file)
    if let found, try file.hasFailure(of: found.generation) {
      hasFailed = true
      throw LMDBError(
        .panic, operation: "write beside \(file.path)",
        detail: "a flush of the data file failed in another process; close it everywhere and open it again")
    }
    if tail?.generation != found?.generation { tail = found }
    // A commit that changed nothing is none: its record goes below, like one whose commit failed.
    if let last = tail?.lastTransactionID, last > transactionID { tail = found }
    guard var tail else { return }
    while let record = try tail.next(in: file) {
      if record.transactionID > transactionID {
        // LMDB's commit failed, or changed nothing, or its process died before. What commits now has its number, so
        // it must go first.
        try file.erase(at: tail.end)
        break
      }
      tail.advance(over: RedoRecord.headerBytes + record.changes.count)
    }
    self.tail = tail
  }

  private func checkpoint() throws {
    do {
      try flushDataFile()
    } catch {
      noteFailure()
      throw error
    }
    try file.erase(at: RedoFile.firstRecord)
    tail = nil
    isNeeded = false
  }

  /// After a flush of the data file that failed while the log is needed: tells the others.
  func noteFailure() {
    hasFailed = true
    // Where the mark cannot be written, the log can hardly be erased.
    do { try file.setFailure() } catch { return }
  }

  private func flushDataFile() throws {
    let code = mdb_env_sync(environment, 1)
    if code != 0 { throw LMDBError(returnCode: code, operation: "flush the data file beside \(file.path)") }
  }

  /// Whether the changes of a transaction are on the device now, so that its commit need not wait for it. If not, the
  /// commit must.
  func append(_ changes: borrowing RedoChanges, of transactionID: UInt64) throws -> Bool {
    guard logs, changes.isComplete, changes.count > 0, RedoFile.isWithinLimit else { return false }
    guard pin != nil else {
      // The next commit can be logged, if it comes soon: one alone would not gain by it.
      renewPin()
      return false
    }
    guard let next = try place(for: changes, before: transactionID) else { return false }
    let record = RedoRecord(
      generation: next.generation, transactionID: transactionID, checkpoint: next.checkpoint,
      changes: Array(changes.bytes)
    ).encoded()
    tail = next
    appendedBytes = record.count
    return try isOnDevice(record, at: next)
  }

  /// Writes a record. False where that fails and the record is not there: LMDB's commit, which is to wait for the
  /// device then, tells whether that can still be written.
  private func isOnDevice(_ record: [UInt8], at place: RedoTail) throws -> Bool {
    do {
      try file.write(record, at: place.end)
    } catch {
      // Part of a record is none. But what it lacks may be there from an earlier run of the same write.
      if try place.next(in: file) == nil { return false }
    }
    do {
      try file.flush()
    } catch {
      // It may be on the device; it must not be done again after a crash.
      do { try file.erase(at: place.end) } catch { throw Self.unknownOutcome(error, file.path) }
      return false
    }
    return true
  }

  static func unknownOutcome(_ error: any Error, _ path: String) -> LMDBError {
    LMDBError(
      .outcomeUnknown, operation: "commit to the environment at \(path)",
      detail: "it failed, and its record in the log could not be erased (\(error)); it may or may not have taken "
        + "place, close the environment and open it again to see")
  }

  private func place(for changes: borrowing RedoChanges, before transactionID: UInt64) throws -> RedoTail? {
    if isLive(before: transactionID), let tail {
      return tail.hasRoom(for: RedoRecord.headerBytes + changes.count) ? tail : nil
    }
    // The last commit is the new checkpoint, and older pages may go.
    renewPin()
    let last = transactionID - 1
    guard pinnedTransactionID == last, try reserve(),
      let meta = DataFileMeta(dataDescriptor, of: last, pageSize: pageSize),
      let checkpoint = RedoCheckpoint(meta, in: dataDescriptor)
    else { return nil }
    return RedoTail(generation: UInt64.random(in: .min ... .max), checkpoint: checkpoint)
  }

  private var dataDescriptor: Int32 {
    var descriptor: Int32 = -1
    // Fails for a null argument only.
    mdb_env_get_fd(environment, &descriptor)
    return descriptor
  }

  /// Sees to it that a log can begin with the last commit. False where it cannot be made, for whatever reason: commits
  /// wait for two flushes then, and LMDB says what is wrong with its own file.
  private func reserve() throws -> Bool {
    if hasReserved {
      if try !file.hasMark() { return true }
    } else {
      do { try file.reserve(beside: dataDescriptor) } catch is LMDBError { return false }
      hasReserved = true
    }
    // The last commit may be another process's that does not wait for the device; before there was a file, it could
    // not say so.
    try flushDataFile()
    return true
  }

  /// After the commit of what was appended.
  func didCommitAppended() { tail?.advance(over: appendedBytes) }

  /// After a commit that was too large for the log: a run of these reuses pages as if there were none.
  func didCommitMuch() { releasePin() }

  // MARK: The pin

  private func renewPin() {
    if let pin {
      mdb_txn_reset(pin)
      if mdb_txn_renew(pin) == 0 { pinnedTransactionID = UInt64(mdb_txn_id(pin)) } else { releasePin() }
      return
    }
    var new: OpaquePointer?
    // Fails where all slots of readers are taken: then commits wait for two flushes.
    guard mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &new) == 0, let new else { return }
    pin = new
    pinnedTransactionID = UInt64(mdb_txn_id(new))
  }

  /// From any thread.
  var isPinned: Bool { hasPin.load(ordering: .relaxed) }

  func releasePin() {
    guard let pin else { return }
    mdb_txn_abort(pin)
    self.pin = nil
    pinnedTransactionID = nil
  }

  // MARK: The end

  /// Runs `body` if no other process uses the environment.
  func leave(_ body: () -> Void) { use.leave(body) }

  /// Once LMDB has closed its files.
  func endUse() { use.end() }
}
