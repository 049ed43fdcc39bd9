import CLMDB

/// The one place where LMDB's return codes become errors. Success costs a comparison.
@inlinable
func check(_ code: Int32, _ operation: @autoclosure () -> String) throws {
  if code != 0 { throw LMDBError(returnCode: code, operation: operation()) }
}

extension LMDBError {
  /// The error for a return code of LMDB or the system.
  @usableFromInline
  init(returnCode: Int32, operation: String) {
    let code = Code(returnCode: returnCode)
    let detail =
      switch code {
      case .databaseOpenedLater:
        "the database was opened after this transaction began; end the transaction and begin another"
      default:
        String(cString: mdb_strerror(returnCode))
      }
    self.init(code, operation: operation, detail: detail)
  }

  /// Like ``init(returnCode:operation:)``; an input or output error first asks what made a write short.
  init(returnCode: Int32, operation: String, directory: String) {
    let cause = returnCode == EIO ? ShortWrite.cause(at: directory) : nil
    self.init(returnCode: cause ?? returnCode, operation: operation)
  }
}

extension LMDBError.Code {
  init(returnCode: Int32) {
    self = Self.fromLMDB(returnCode) ?? Self.fromSystem(returnCode) ?? .other(returnCode)
  }

  private static func fromLMDB(_ code: Int32) -> Self? {
    switch code {
    case MDB_KEYEXIST: .keyExists
    case MDB_NOTFOUND: .notFound
    case MDB_PAGE_NOTFOUND: .pageNotFound
    // LMDB says nothing of a page that it cannot follow where it makes a cursor ready, and refuses the transaction from
    // then on.
    case MDB_CORRUPTED, MDB_BAD_TXN: .corrupted
    case MDB_PANIC: .panic
    case MDB_VERSION_MISMATCH: .versionMismatch
    case MDB_INVALID: .invalidFile
    case MDB_MAP_FULL: .mapFull
    case MDB_DBS_FULL: .databasesFull
    case MDB_READERS_FULL: .readersFull
    case MDB_TXN_FULL: .transactionFull
    case MDB_MAP_RESIZED: .mapResized
    case MDB_INCOMPATIBLE: .incompatible
    case MDB_BAD_RSLOT: .badReaderSlot
    case MDB_BAD_VALSIZE: .badValueSize
    case MDB_BAD_DBI: .databaseOpenedLater
    default: nil
    }
  }

  private static func fromSystem(_ code: Int32) -> Self? {
    switch code {
    // LMDB answers EINVAL for a handle that the transaction does not know.
    case EINVAL: .databaseOpenedLater
    case ENOMEM: .outOfMemory
    case EACCES, EPERM: .accessDenied
    case ENOENT, ENOTDIR: .noSuchFile
    case EROFS: .readOnlyFileSystem
    case ENOSPC, EDQUOT: .diskFull
    case EIO: .inputOutput
    case EAGAIN, EBUSY: .busy
    default: nil
    }
  }
}
