import CLMDB

extension Environment {
  var mapSizeBytes: Int {
    var information = MDB_envinfo()
    // Fails for a null environment only.
    mdb_env_info(handle.pointer, &information)
    return information.me_mapsize
  }

  /// Follows another process that enlarged the file beyond the map of `seenBytes`.
  ///
  /// Returns at once where another thread has changed that map already. Otherwise it waits for all transactions of the
  /// process, and new ones wait for it.
  func adoptMapSize(from seenBytes: Int) throws {
    let isDone = try gate.whileEmpty(unless: { mapSizeBytes != seenBytes }) {
      try setMapSize(0)
    }
    if !isDone {
      throw LMDBError(
        .mapResized, operation: "follow the growth of \(path)",
        detail: "this thread still runs an older transaction; end it first")
    }
  }

  /// Doubles the map of `seenBytes`; see ``adoptMapSize(from:)``.
  func growMap(from seenBytes: Int) throws {
    let wanted = min(seenBytes * 2, maximumMapSizeBytes)
    let isDone = try gate.whileEmpty(unless: { mapSizeBytes > seenBytes }) {
      guard wanted > seenBytes, Self.hasAddressSpace(forBytes: wanted - seenBytes) else {
        throw LMDBError(
          .mapFull, operation: "write to the environment at \(path)",
          detail: "its map of \(seenBytes) bytes is full and cannot grow")
      }
      try setMapSize(wanted)
    }
    if !isDone {
      throw LMDBError(
        .mapFull, operation: "write to the environment at \(path)",
        detail: "its map is full, and this thread's own read transaction keeps it from growing")
    }
  }

  private func setMapSize(_ bytes: Int) throws {
    let code = mdb_env_set_mapsize(handle.pointer, bytes)
    if code != 0 {
      // LMDB has unmapped the old map by now and has no new one.
      markUnusable()
      throw LMDBError(returnCode: code, operation: "resize the map of \(path)")
    }
  }

  /// Ten stacks.
  private static let roomBesideMapBytes = 80 << 20

  /// LMDB unmaps before it maps, so it must not be let to fail in between: ask the system first.
  ///
  /// Beside the map there must be room for the stacks of threads: work waits for ever for a thread that has none.
  static func hasAddressSpace(forBytes wanted: Int) -> Bool {
    let count = wanted + roomBesideMapBytes
    guard let address = mmap(nil, count, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0) else {
      return false
    }
    if Int(bitPattern: address) == -1 { return false }
    munmap(address, count)
    return true
  }
}
