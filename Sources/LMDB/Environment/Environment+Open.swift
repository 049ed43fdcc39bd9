import CLMDB

extension Environment {
  /// Below this a map is no use; a refusal is reported instead.
  private static let smallestMapBytes = 64 << 20
  /// The lock file has a line of the processor for each reader, and a few before them (mdb.c, MDB_reader, MDB_txninfo).
  private static let readerBytes = 64
  private static let lockHeaderBytes = 1024
  /// How often an opening takes a new snapshot, since other processes committed twice while it looked at the last one.
  private static let greatestSnapshotCount = 10_000

  /// Called by the registry alone, under its lock.
  static func openNew(at directory: String, options: Options) throws -> Environment {
    StandardDescriptors.occupy()
    var options = options
    if options.isReadOnly, !options.isWithoutLocks {
      options.isWithoutLocks = try FileReach(directory: directory).nobodyCanWrite()
    }
    let file = try DataFile(directory: directory, isReadOnly: options.isReadOnly, mode: options.fileMode)
    if !options.isReadOnly { try makeLockFile(in: directory, options) }
    // A reader makes a lock file that is missing, so its absence says nothing.
    let found = try EnvironmentIdentity(directory: directory).flatMap { $0.lock == nil ? nil : $0 }
    let metas = try file.prefetchRoots()
    try FormerRedoLog(directory: directory).settle(beside: file, mayRemove: !options.isReadOnly)
    try LastCommits.requireMappable(metas, file.descriptor, directory: directory)
    try OpeningWait(directory: directory, timeoutSeconds: options.openingTimeoutSeconds).run()
    let handle = try openHandle(at: directory, options: options)
    let identity: EnvironmentIdentity
    let findings: Findings
    do {
      try LastCommits.requireTrue(metas, file.descriptor, directory: directory)
      findings = try prepare(handle, file, directory: directory, options)
      guard let present = try EnvironmentIdentity(directory: directory) else {
        throw LMDBError(returnCode: ENOENT, operation: "open the environment at \(directory)")
      }
      identity = present
    } catch {
      mdb_env_close(handle.pointer)
      throw error
    }
    if found == nil || found == identity {
      return Environment(
        handle: handle, directory: directory, options: options, identity: identity, dataFile: file, findings: findings)
    }
    // Another one was put in its place while this opening waited for the lock file of the one before.
    mdb_env_close(handle.pointer)
    return try openNew(at: directory, options: options)
  }

  /// LMDB makes its files itself, but with what the process's mask leaves of their rights, and as its user's own. The
  /// lock file it makes as long as it shall be, without room on the disk, and writes to it through memory: on a full
  /// disk that ends the process by a signal. Cost: one system call for a file that is there.
  private static func makeLockFile(in directory: String, _ options: Options) throws {
    let path = directory + "/lock.mdb"
    var status = stat()
    // One without bytes has met a full disk, or another process is about to fill it.
    if stat(path, &status) == 0, status.st_size > 0 { return }
    let (descriptor, _) = FileRights.open(path, mode: options.fileMode, beside: directory + "/data.mdb")
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let code = reserveFile(descriptor, Int64(options.maximumReaders * readerBytes + lockHeaderBytes))
    guard code == ENOSPC || code == EDQUOT else { return }
    throw LMDBError(returnCode: code, operation: "open the environment at \(directory)")
  }

  /// Tries smaller maps where an address-space limit refuses the wanted one.
  private static func openHandle(at directory: String, options: Options) throws -> Handle {
    var options = options
    while options.mapSizeBytes / 2 >= smallestMapBytes, !hasAddressSpace(forBytes: options.mapSizeBytes) {
      options.mapSizeBytes /= 2
    }
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
      let code = mdb_env_open(pointer, directory, options.flags, mode_t(options.fileMode))
      if code != 0 { throw LMDBError(returnCode: code, operation: operation, directory: directory) }
    } catch {
      // lmdb.h (mdb_env_open): a failed environment must be closed to give back its handle.
      mdb_env_close(pointer)
      throw error
    }
    return Handle(pointer: pointer)
  }

  /// Clears dead readers, refuses a file that was cut short, proves one whose flush failed, and sets the key order of
  /// the list of databases before anybody reads it.
  private static func prepare(
    _ handle: Handle, _ file: DataFile, directory: String, _ options: Options
  ) throws -> Findings {
    let operation = "open the environment at \(directory)"
    try ReaderNumber.settle(handle.pointer)
    var dead: Int32 = 0
    try check(mdb_reader_check(handle.pointer, &dead), operation)
    let reader = try begin(handle, operation)
    defer { mdb_txn_abort(reader) }
    var main: UInt32 = 0
    try check(mdb_dbi_open(reader, nil, 0, &main), operation)
    precondition(main == Database.main.handle, "LMDB keeps the list of databases elsewhere than expected")
    var statistics = MDB_stat()
    try check(mdb_env_stat(handle.pointer, &statistics), operation)
    let pageBytes = Int(statistics.ms_psize)
    try requireWhole(handle, file, directory: directory, reader, pageBytes: pageBytes)
    let hasFailed = try !options.isReadOnly && file.hasFailedFlush()
    if hasFailed { try DataFileProof(file: file, environment: handle.pointer, directory: directory).run() }
    try prefetchRoots(reader, main, file.descriptor, pageBytes: pageBytes, where: options.prefetchesRoot)
    return Findings(abandonedReaders: Int(dead), wasProven: hasFailed)
  }

  /// Begins the first read, which takes the lock that says that this process lives, and follows a file that has
  /// outgrown the map meanwhile.
  private static func begin(_ handle: Handle, _ operation: String) throws -> OpaquePointer {
    var hasDrawn = false
    while true {
      var transaction: OpaquePointer?
      let code = mdb_txn_begin(handle.pointer, nil, UInt32(MDB_RDONLY), &transaction)
      if code == 0, let transaction { return transaction }
      switch code {
      case MDB_MAP_RESIZED: try check(mdb_env_set_mapsize(handle.pointer, 0), operation)
      case EAGAIN where !hasDrawn, EACCES where !hasDrawn:
        // Another process holds the lock of this one's id.
        guard try ReaderNumber.draw(handle.pointer) else { throw LMDBError(returnCode: code, operation: operation) }
        hasDrawn = true
      default: throw LMDBError(returnCode: code, operation: operation)
      }
    }
  }

  private static func requireWhole(
    _ handle: Handle, _ file: DataFile, directory: String, _ reader: OpaquePointer, pageBytes: Int
  ) throws {
    let operation = "open the environment at \(directory)"
    for _ in 0..<greatestSnapshotCount {
      switch try DataFileExtent(
        file.descriptor, directory: directory, transactionID: UInt64(mdb_txn_id(reader)), pageSize: pageBytes)
      {
      case .whole: return
      case .cutShort: throw LMDBError(.corrupted, operation: operation, detail: "its data file was cut short")
      case .unknown:
        mdb_txn_reset(reader)
        var code = mdb_txn_renew(reader)
        while code == MDB_MAP_RESIZED {
          try check(mdb_env_set_mapsize(handle.pointer, 0), operation)
          code = mdb_txn_renew(reader)
        }
        try check(code, operation)
      }
    }
    throw LMDBError(.busy, operation: operation, detail: "other processes commit faster than its length can be checked")
  }
}

extension Environment.Options {
  /// Readers live on handles, not threads; the kernel must not read ahead in a large cold file.
  /// Never `MDB_WRITEMAP`: a process with a smaller map would truncate the file under the others.
  fileprivate var flags: UInt32 {
    var flags = UInt32(MDB_NOTLS | MDB_NORDAHEAD)
    if isReadOnly { flags |= UInt32(MDB_RDONLY) }
    if isReadOnly, isWithoutLocks { flags |= UInt32(MDB_NOLOCK) }
    switch durability {
    case .full: break
    case .relaxed: flags |= UInt32(MDB_NOMETASYNC)
    case .unsafeNoSync: flags |= UInt32(MDB_NOSYNC)
    }
    return flags
  }
}
