import CLMDB

/// The reach of an environment's files: whether anybody can write to them, and whether another process has them open.
///
/// Opens and closes the lock file, which drops the locks of an environment that this process has on it: used under the
/// registry's lock, where this process has none.
struct FileReach {
  let directory: String
  private var data: String { directory + "/data.mdb" }
  private var lock: String { directory + "/lock.mdb" }
  /// The byte of the lock file on which every process that has the environment open keeps a lock (mdb.c,
  /// `mdb_env_excl_lock`).
  private static let sharedByte: Int64 = 0

  /// Whether reading needs no lock: the file may be written to by nobody, or lies on a medium for reading only.
  ///
  /// Throws `busy` where a medium is for reading only as this process sees it, and another one writes to the same file
  /// through another mount: pages would be replaced while they are read.
  func nobodyCanWrite() throws -> Bool {
    var status = stat()
    guard stat(data, &status) == 0 else { return false }
    if status.st_mode & 0o222 == 0 { return true }
    guard isMountedReadOnly(data) else { return false }
    guard !isLocked() else {
      throw LMDBError(
        .busy, operation: "open the environment at \(directory)",
        detail: "it is mounted for reading only here, and another process has it open through another mount; mount it "
          + "for writing, or read a backup of it")
    }
    return true
  }

  /// Whether another process has the environment open.
  func isLocked() -> Bool {
    let descriptor = openFile(lock, O_RDONLY | O_CLOEXEC, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return isByteLocked(descriptor, Self.sharedByte, Int16(F_WRLCK))
  }

  /// Runs `body` while no other process can open the environment; nil, without it, where one has it open. Openings wait
  /// meanwhile, so it should be short. `isForReading`: others may read, too, where nobody can write.
  func whileUnused<Result>(isForReading: Bool, _ body: () throws -> Result) throws -> Result? {
    if isForReading, try nobodyCanWrite() { return try body() }
    let descriptor = openFile(lock, O_RDWR | O_CLOEXEC, 0)
    guard descriptor >= 0 else {
      // Without a lock file nobody has it open, except readers of what nobody can write to.
      if lastSystemError() == ENOENT { return try body() }
      throw LMDBError(returnCode: lastSystemError(), operation: "lock \(lock)")
    }
    defer { close(descriptor) }
    let code = lockByte(descriptor, Self.sharedByte, Int16(F_WRLCK))
    if [EAGAIN, EACCES].contains(code) { return nil }
    if code != 0 { throw LMDBError(returnCode: code, operation: "lock \(lock)") }
    return try body()
  }
}

extension Environment {
  /// Runs `body` while nobody has the environment in a directory open, in this process or another, and nobody can
  /// open it: to put another one in its place. Returns nil, without running it, where somebody has it open.
  ///
  /// `isForReading`: to read its file past LMDB. Where nobody can write, others may have it open for reading, too.
  package static func whileUnused<Result>(
    at directory: String, isForReading: Bool = false, _ body: () throws -> Result
  ) throws -> Result? {
    try EnvironmentRegistry.shared.whileUnused(at: directory, isForReading: isForReading, body)
  }
}
