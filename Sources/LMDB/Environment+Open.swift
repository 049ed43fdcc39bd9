import CLMDB

extension Environment {
  /// Below this a map is no use; a refusal is reported instead.
  private static let smallestMapBytes = 64 << 20

  /// Called by the registry alone, under its lock.
  static func openNew(at directory: String, options: Options) throws -> Environment {
    guard options.keepsRedoLog else { return try openNew(at: directory, options: options, redo: nil) }
    let use = try DataFileUse(directory: directory, options: options)
    return try use.join { isAlone in
      let file = RedoFile(directory: directory, options: options)
      let recovery = RedoRecovery(file, directory: directory)
      let pending = isAlone ? try recovery.pending(mayWrite: !options.isReadOnly) : []
      if let last = pending.last {
        try use.beginRecovery()
        try recovery.rewind(to: last.checkpoint, lastTransactionID: last.transactionID)
      }
      use.prefetchMainRoot()
      return try openNew(at: directory, options: options, redo: (file, use, pending))
    }
  }

  private static func openNew(
    at directory: String, options: Options, redo: (file: RedoFile, use: DataFileUse, pending: [RedoRecord])?
  ) throws -> Environment {
    let handle = try openHandle(at: directory, options: options)
    do {
      let pageSize = try prepare(handle, directory: directory, options)
      guard let identity = try EnvironmentIdentity(directory: directory) else {
        throw LMDBError(returnCode: ENOENT, operation: "open the environment at \(directory)")
      }
      if let redo, !redo.pending.isEmpty {
        try RedoReplay(redo.pending).run(in: handle.pointer, directory: directory)
        // That commit waits for the device where the options say so; the log goes only after it.
        try check(mdb_env_sync(handle.pointer, 1), "flush the environment at \(directory)")
        try redo.file.erase(at: RedoFile.firstRecord)
      }
      let log = redo.map { redo in
        RedoLog(redo.file, redo.use, environment: handle.pointer, pageSize: pageSize, logs: options.durability == .full)
      }
      return Environment(handle: handle, directory: directory, options: options, identity: identity, redoLog: log)
    } catch {
      mdb_env_close(handle.pointer)
      throw error
    }
  }

  /// Tries smaller maps where an address-space limit refuses the wanted one.
  private static func openHandle(at directory: String, options: Options) throws -> Handle {
    var options = options
    while true {
      do {
        return try openHandleOnce(at: directory, options: options)
      } catch let error as LMDBError where error.code == .outOfMemory {
        guard options.mapSizeBytes / 2 >= smallestMapBytes else { throw error }
        options.mapSizeBytes /= 2
      }
    }
  }

  private static func openHandleOnce(at directory: String, options: Options) throws -> Handle {
    let operation = "open the environment at \(directory)"
    var created: OpaquePointer?
    try check(mdb_env_create(&created), operation)
    guard let pointer = created else { throw LMDBError(returnCode: ENOMEM, operation: operation) }
    do {
      try check(mdb_env_set_mapsize(pointer, options.mapSizeBytes), operation)
      try check(mdb_env_set_maxdbs(pointer, UInt32(options.maximumDatabases)), operation)
      try check(mdb_env_set_maxreaders(pointer, UInt32(options.maximumReaders)), operation)
      if !options.isReadOnly { makeFiles(in: directory, mode: options.fileMode) }
      let code = mdb_env_open(pointer, directory, options.flags, mode_t(options.fileMode))
      if code != 0 { throw LMDBError(returnCode: code, operation: operation, directory: directory) }
    } catch {
      // lmdb.h (mdb_env_open): a failed environment must be closed to give back its handle.
      mdb_env_close(pointer)
      throw error
    }
    return Handle(pointer: pointer)
  }

  /// LMDB makes its two files itself, but with what the process's mask leaves of their rights, and as its user's own.
  private static func makeFiles(in directory: String, mode: UInt32) {
    let data = directory + "/data.mdb"
    FileRights.make(data, mode: mode, beside: nil)
    FileRights.make(directory + "/lock.mdb", mode: mode, beside: data)
  }

  /// Clears dead readers, refuses a file that was cut short, and sets the key order of the list of databases
  /// before anybody reads it. Returns the size of a page.
  private static func prepare(_ handle: Handle, directory: String, _ options: Options) throws -> Int {
    let operation = "open the environment at \(directory)"
    var dead: Int32 = 0
    try check(mdb_reader_check(handle.pointer, &dead), operation)
    var transaction: OpaquePointer?
    try check(mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction), operation)
    defer { mdb_txn_abort(transaction) }
    var main: UInt32 = 0
    try check(mdb_dbi_open(transaction, nil, 0, &main), operation)
    var statistics = MDB_stat()
    try check(mdb_env_stat(handle.pointer, &statistics), operation)
    var descriptor: Int32 = -1
    try check(mdb_env_get_fd(handle.pointer, &descriptor), operation)
    try DataFileExtent.check(
      descriptor, directory: directory, transactionID: UInt64(mdb_txn_id(transaction)),
      pageSize: Int(statistics.ms_psize))
    precondition(main == Database.main.handle, "LMDB keeps the list of databases elsewhere than expected")
    let pageSize = Int(statistics.ms_psize)
    if let transaction {
      try prefetchRoots(transaction, main, descriptor, pageBytes: pageSize, where: options.prefetchesRoot)
    }
    return pageSize
  }
}

extension Environment.Options {
  /// Readers live on handles, not threads; the kernel must not read ahead in a large cold file.
  /// Never `MDB_WRITEMAP`: a process with a smaller map would truncate the file under the others.
  fileprivate var flags: UInt32 {
    var flags = UInt32(MDB_NOTLS | MDB_NORDAHEAD)
    if isReadOnly { flags |= UInt32(MDB_RDONLY) }
    switch durability {
    case .full: break
    case .relaxed: flags |= UInt32(MDB_NOMETASYNC)
    case .unsafeNoSync: flags |= UInt32(MDB_NOSYNC)
    }
    return flags
  }
}
