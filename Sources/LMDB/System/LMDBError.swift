/// A refusal of the environment. Programmer errors trap instead.
public struct LMDBError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure, with the codes of LMDB and of the system that it stands for.
  public enum Code: Sendable, Hashable {
    /// `MDB_KEYEXIST`; with `append` also a key that is not greater than the last.
    case keyExists
    /// `MDB_NOTFOUND`, where the caller may not expect it.
    case notFound
    /// `MDB_MAP_FULL`, and the map cannot grow further.
    case mapFull
    /// `MDB_MAP_RESIZED`, and the map cannot follow because this thread still reads the old one.
    case mapResized
    /// `MDB_READERS_FULL`, after the slots of dead processes were cleared.
    case readersFull
    /// `MDB_DBS_FULL`.
    case databasesFull
    /// `MDB_TXN_FULL`: more dirty pages than one transaction can hold.
    case transactionFull
    /// `MDB_CORRUPTED`, or a data file that is cut short, or one whose pages are not as they were written.
    case corrupted
    /// `MDB_PAGE_NOTFOUND`.
    case pageNotFound
    /// `MDB_PANIC`, or a flush that failed earlier, here or in another process: the environment must be closed and
    /// opened again.
    case panic
    /// `MDB_VERSION_MISMATCH`: the file belongs to another generation of LMDB.
    case versionMismatch
    /// `MDB_INVALID`: not an LMDB file.
    case invalidFile
    /// A lent write transaction is over, or belongs to another thread.
    case badTransaction
    /// `MDB_BAD_VALSIZE`: an empty key, or one of more than 511 bytes.
    case badValueSize
    /// `MDB_BAD_RSLOT`.
    case badReaderSlot
    /// `MDB_INCOMPATIBLE`: there is a plain entry where a database was expected.
    case incompatible
    /// `EINVAL` or `MDB_BAD_DBI`: the database was opened after this transaction began.
    case databaseOpenedLater
    /// The commit failed while the meta page was written: it may or may not have taken place.
    case outcomeUnknown
    /// The device did not take a commit, or an earlier one: nothing of this commit counts, and nothing is written
    /// until the environment was opened anew and proven.
    case flushFailed
    /// `ENOMEM`.
    case outOfMemory
    /// `EACCES`, `EPERM`.
    case accessDenied
    /// `ENOENT`, `ENOTDIR`.
    case noSuchFile
    /// `EROFS`.
    case readOnlyFileSystem
    /// `ENOSPC`, `EDQUOT`, or `EIO` on a file system that takes no more pages.
    case diskFull
    /// `EIO`, of a device that fails.
    case inputOutput
    /// `EAGAIN`, `EBUSY`.
    case busy
    /// Another process that opens the environment has taken longer than this one was to wait.
    case timedOut
    /// `data.mdb` or `lock.mdb` was removed or replaced while the environment was open.
    case filesReplaced
    /// The last commits may be in the redo log of an earlier build alone, which this build does not read.
    case formerLog
    /// Any other code of LMDB's or the system's; `EFBIG` also for `EIO` where the data file has reached the process's
    /// limit of file size.
    case other(Int32)
  }

  /// The kind of failure.
  public var code: Code
  /// The operation in a few words: "open the environment at …".
  public var operation: String
  /// LMDB's or the system's own text.
  public var detail: String

  /// Creates an error from its parts.
  public init(_ code: Code, operation: String, detail: String) {
    self.code = code
    self.operation = operation
    self.detail = detail
  }

  /// The operation and the detail in one sentence.
  public var description: String { "cannot \(operation): \(detail)" }
}
