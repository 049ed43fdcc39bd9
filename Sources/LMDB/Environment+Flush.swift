import CLMDB

extension Environment {
  /// Brings every commit to the device, also where ``Options/durability`` leaves the last one to the system.
  public func flush() throws {
    checkProcess()
    gate.enter()
    defer { gate.leave() }
    let code = mdb_env_sync(handle.pointer, 1)
    if code != 0 { throw LMDBError(returnCode: code, operation: "flush the environment at \(path)") }
  }
}
