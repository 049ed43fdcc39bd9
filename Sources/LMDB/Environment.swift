import CLMDB
import Synchronization

/// One LMDB environment: a directory with `data.mdb` and `lock.mdb`, opened once per process and inode.
///
/// Reading is free for any thread. Writing happens on one thread at a time, and a write transaction
/// begins, runs and ends on the thread that called ``write(_:)``: LMDB's writer lock belongs to the
/// thread, and releasing it elsewhere blocks every process for ever. Another process may hold that
/// lock, so never call it on one of Swift's shared threads.
///
/// The last reference that goes closes the environment. After a `fork` the child must not use it and
/// is stopped with a sentence.
///
/// Never open, copy or hash `lock.mdb` in this process: closing any descriptor of it drops LMDB's
/// record locks, and the next process resets the reader table under a live reader.
public final class Environment: Sendable {
  /// LMDB's handle, with the pointer's thread safety promised by lmdb.h for `MDB_NOTLS`.
  struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// The file in the environment's directory that ``Options/keepsRedoLog`` asks for.
  public static let redoLogName = RedoFile.name

  /// The directory as given at the first open.
  public let path: String
  public let isReadOnly: Bool

  let handle: Handle
  let maximumMapSizeBytes: Int
  let readerCheckInterval: Duration
  let lastReaderCheck = Mutex(ContinuousClock.now)
  let databases = DatabaseHandles()
  let gate = TransactionGate()
  let writerLock = Monitor()
  @usableFromInline let writeContext: WriteContext
  let redoLog: RedoLog?
  let identity: EnvironmentIdentity
  private let processID = ProcessIdentity.id
  private let hasFailed = Atomic<Bool>(false)

  init(
    handle: Handle, directory: String, options: Options, identity: EnvironmentIdentity, redoLog: RedoLog?
  ) {
    path = directory
    isReadOnly = options.isReadOnly
    maximumMapSizeBytes = options.maximumMapSizeBytes
    readerCheckInterval = .seconds(options.readerCheckIntervalSeconds)
    self.handle = handle
    self.identity = identity
    self.redoLog = redoLog
    writeContext = WriteContext(
      environment: handle.pointer, directory: directory, databases: databases, isRecording: redoLog?.logs ?? false)
  }

  deinit {
    // A forked child shares the parent's lock file and reader slots: closing here would break them.
    guard processID == ProcessIdentity.id else { return }
    gate.discardReaders()
    leaveRedoLog()
    mdb_env_close(handle.pointer)
    // Not before: who finds himself alone may write what was mapped here.
    redoLog?.endUse()
    EnvironmentRegistry.shared.didClose(identity, of: ObjectIdentifier(self))
  }

  /// Opens the environment, or returns the one this process already has for the same inode, whatever
  /// its options are. The directory must exist.
  ///
  /// Where there is a redo log, waits for another process that opens or closes the environment: for as long as it does
  /// commits again after a crash, for that takes what the device needs; else up to the options' time limit.
  ///
  /// Throws `noSuchFile`, `accessDenied`, `readOnlyFileSystem`, `invalidFile`, `versionMismatch`,
  /// `corrupted` for a file that is cut short, `outOfMemory` when even a small map finds no room, `timedOut` when
  /// another process has kept it from being opened for longer than the options allow, and `panic` when the open
  /// environment has failed and its other users still hold it.
  public static func open(at directory: String, options: Options = Options()) throws -> Environment {
    try EnvironmentRegistry.shared.open(at: directory, options: options)
  }

  /// A write failed while the meta page was written; nothing works until all users let go.
  public var isUnusable: Bool { hasFailed.load(ordering: .acquiring) }

  func markUnusable() { hasFailed.store(true, ordering: .releasing) }

  @usableFromInline
  func checkProcess() {
    precondition(
      processID == ProcessIdentity.id,
      "an LMDB environment was used in a forked child; open it again there, in a fresh process image")
  }
}
