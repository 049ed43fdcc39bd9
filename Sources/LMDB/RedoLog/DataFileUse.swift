import CLMDB

/// Which processes use an environment that has a redo log: locks on three bytes beyond all pages of `data.mdb`.
///
/// One belongs to who opens the environment or closes it, one to each who uses it. So who opens knows whether he is
/// alone. The locks are this descriptor's; LMDB has its own in another file.
///
/// Others wait for who opens or closes, up to a time limit: neither takes long, and who has not ended by then stands
/// still. But who does logged commits again may read and write a page for each change, of a device of any speed. He has
/// the third byte locked meanwhile, and is waited for as long as it takes.
final class DataFileUse: Sendable {
  private static let openingByte: Int64 = 1 << 62
  private static let usingByte = openingByte + 1
  private static let recoveringByte = openingByte + 2

  private let path: String
  private let descriptor: Int32
  private let directory: String
  private let isReadOnly: Bool
  private let timeoutSeconds: Double

  /// Makes an empty data file where there is none, unless it is opened for reading. LMDB takes that for a new one.
  init(directory: String, options: Environment.Options) throws {
    self.directory = directory
    path = directory + "/data.mdb"
    isReadOnly = options.isReadOnly
    timeoutSeconds = options.openingTimeoutSeconds
    descriptor =
      isReadOnly
      ? openFile(path, O_RDONLY | O_CLOEXEC, 0) : FileRights.open(path, mode: options.fileMode, beside: nil).descriptor
    if descriptor < 0 { throw LMDBError(returnCode: lastSystemError(), operation: "open \(path)") }
  }

  /// Takes no lock away: a forked child, where this may go as well, shares the descriptor with its parent.
  deinit { close(descriptor) }

  /// Runs `body` while nobody else opens or closes the environment, and then counts as one who uses it. Waits for who
  /// opens or closes it now, and throws `timedOut` after the time limit.
  func join<Result>(_ body: (_ isAlone: Bool) throws -> Result) throws -> Result {
    // Who reads only can have no other lock; it suffices to keep those away who do commits again.
    try waitForOpening()
    defer {
      unlock(Self.recoveringByte)
      unlock(Self.openingByte)
    }
    let isAlone =
      isReadOnly
      ? isByteLocked(descriptor, Self.usingByte) == 0
      : lockByte(descriptor, Self.usingByte, Int16(F_WRLCK)) == 0
    do {
      let result = try body(isAlone)
      try require(lockByte(descriptor, Self.usingByte, Int16(F_RDLCK)))
      return result
    } catch {
      unlock(Self.usingByte)
      throw error
    }
  }

  /// Asks the system to begin reading the page that lists the databases, and does not wait: from a cold disk it arrives
  /// while LMDB opens. Three system calls.
  func prefetchMainRoot() {
    guard let newest = DataFileMeta.all(descriptor).max(by: { $0.transactionID < $1.transactionID }),
      let page = Int32(exactly: newest.mainRoot), let count = Int32(exactly: newest.pageSize)
    else { return }
    beginReading(descriptor, off_t(page) * off_t(count), count)
  }

  /// Tells those who wait that commits are done again from here on. Within a ``join(_:)``.
  func beginRecovery() throws { try require(lockByte(descriptor, Self.recoveringByte, Int16(F_WRLCK))) }

  /// Runs `body` if nobody else uses the environment, and keeps others from opening it until the ``end()``. Waits for
  /// nobody.
  func leave(_ body: () -> Void) {
    guard !isReadOnly, lockByte(descriptor, Self.openingByte, Int16(F_WRLCK)) == 0 else { return }
    if lockByte(descriptor, Self.usingByte, Int16(F_WRLCK)) == 0 { body() } else { unlock(Self.openingByte) }
  }

  /// This process uses the environment no more. Unlocks, and does not leave that to the descriptor's end: a process
  /// that was forked meanwhile shares it, and would keep the locks a moment longer.
  func end() {
    unlock(Self.usingByte)
    unlock(Self.openingByte)
  }

  private func waitForOpening() throws {
    var patience = newPatience()
    while true {
      let code = lockByte(descriptor, Self.openingByte, Int16(isReadOnly ? F_RDLCK : F_WRLCK))
      if code != EAGAIN, code != EACCES { return try require(code) }
      if isByteLocked(descriptor, Self.recoveringByte) != 0 {
        // Without a limit also for who has no time, and would not pause at all.
        patience = newPatience(atLeast: 0.01)
      }
      guard patience.pause() else {
        throw LMDBError(
          .timedOut, operation: "open the environment at \(directory)",
          detail: "another process that opens or closes it has kept it locked for more than "
            + "\(Duration.seconds(timeoutSeconds))")
      }
    }
  }

  private func newPatience(atLeast seconds: Double = 0) -> Patience {
    Patience(until: .now + .seconds(max(timeoutSeconds, seconds)), longestPauseSeconds: 0.002)
  }

  /// Throws unless a lock was had.
  private func require(_ code: Int32) throws {
    if code == 0 { return }
    let words = String(cString: strerror(code))
    throw LMDBError(
      .other(code), operation: "lock \(path)",
      detail: "\(words); its file system must know locks that belong to a descriptor (fcntl, F_OFD_SETLK)")
  }

  private func unlock(_ byte: Int64) { _ = lockByte(descriptor, byte, Int16(F_UNLCK)) }
}
