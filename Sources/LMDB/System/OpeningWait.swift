import CLMDB

/// Waits for another process that opens an environment.
///
/// The first process to open an environment makes the reader table, with a lock over the lock file. LMDB waits for that
/// without a limit, also where the process stands still.
struct OpeningWait {
  let directory: String
  let timeoutSeconds: Double

  /// Throws `timedOut` where another process has kept the environment locked for longer than the limit. Costs three
  /// system calls. Called while this process has no environment on the lock file: closing the file drops the process's
  /// locks.
  func run() throws {
    let descriptor = openFile(directory + "/lock.mdb", O_RDWR | O_CLOEXEC, 0)
    // LMDB tells of the obstacle.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let timeout = Duration(clampingSeconds: timeoutSeconds)
    var patience = Patience(until: .now + timeout, longestPauseSeconds: 0.002)
    while isByteLocked(descriptor, 0, Int16(F_RDLCK)) {
      guard patience.pause() else {
        throw LMDBError(
          .timedOut, operation: "open the environment at \(directory)",
          detail: "another process that opens it has kept it locked for more than \(timeout)")
      }
    }
  }
}
