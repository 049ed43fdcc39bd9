import CLMDB

extension Environment {
  /// A consistent copy in an existing empty directory, optionally without free pages, flushed to the
  /// device. Reads one snapshot from end to end; without `compacting` it also waits a moment for the
  /// writer lock. On failure nothing is left behind.
  public func copy(to directory: String, compacting: Bool) throws {
    checkProcess()
    let operation = "copy \(path) to \(directory)"
    let target = try CopyTarget(directory: directory, operation: operation)
    do {
      let code = copyPages(to: target.descriptor, compacting: compacting)
      if code != 0 { throw LMDBError(returnCode: code, operation: operation, directory: directory) }
      try target.flush()
    } catch {
      target.remove()
      throw error
    }
  }

  private func copyPages(to descriptor: Int32, compacting: Bool) -> Int32 {
    // Counted at the gate like any reader: LMDB runs its own transaction inside.
    gate.enter()
    defer { gate.leave() }
    return mdb_env_copyfd2(handle.pointer, descriptor, compacting ? UInt32(MDB_CP_COMPACT) : 0)
  }
}
