import CLMDB

extension Environment {
  /// Brings every commit to the device, also where ``Options/durability`` leaves the last one to the system.
  ///
  /// Where there is a redo log, a throw of `inputOutput` or `diskFull` leaves the environment unusable until all its
  /// users let go, other processes too.
  public func flush() throws {
    checkProcess()
    gate.enter()
    defer { gate.leave() }
    let code = mdb_env_sync(handle.pointer, 1)
    if code == 0 { return }
    let failure = LMDBError(returnCode: code, operation: "flush the environment at \(path)")
    // Commits may be in the log alone, and the system tells of a failure once: the next flush would say nothing of
    // them, and the log would go. Who opens the environment next does them again.
    if [.inputOutput, .diskFull].contains(failure.code) { refuseWritesAfterFlush() }
    throw failure
  }
}
