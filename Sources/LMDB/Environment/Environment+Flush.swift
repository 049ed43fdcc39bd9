import CLMDB

extension Environment {
  /// Brings every commit to the device, also where ``Options/durability`` leaves the last one to the system.
  ///
  /// A throw leaves the environment unusable until it is opened anew, for all processes: the system tells of a failed
  /// flush once, and the next flush would say nothing of what the failed one lost.
  public func flush() throws {
    checkProcess()
    let code = syncInGate()
    if code == 0 { return }
    var failure = LMDBError(returnCode: code, operation: "flush the environment at \(path)")
    failure.code = .flushFailed
    refuseWrites()
    throw failure
  }

  private func syncInGate() -> Int32 {
    gate.enter()
    defer { gate.leave() }
    return mdb_env_sync(handle.pointer, 1)
  }

  /// Lets no process write until the data file was opened anew and proven.
  ///
  /// Called without a lock: a thread that grows the map, or writes, may wait for this one.
  func refuseWrites() {
    markUnusable()
    guard waitsForDevice else { return }
    do {
      try dataFile.noteFailedFlush(after: try information().lastTransactionID)
    } catch {
      // The device takes not even the mark. Each other process that has the file open now hears of the failure from
      // its own next flush.
      return
    }
  }
}
