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

  /// The traces that an opening found and removed.
  package struct Findings: Sendable {
    /// The slots of processes that ended while they read.
    package var abandonedReaders: Int
    /// Whether the data file was read as a whole, since a flush had failed.
    package var wasProven: Bool
  }

  /// The name of a file that earlier builds kept in the environment's directory; see `FormerRedoLog`.
  public static let formerRedoLogName = FormerRedoLog.name

  /// The directory as given at the first open.
  public let path: String
  /// Whether the environment was opened for reading alone.
  public let isReadOnly: Bool
  /// The traces of an earlier trouble that the opening removed.
  package let findings: Findings

  let handle: Handle
  let maximumMapSizeBytes: Int
  let readerCheckInterval: Duration
  let lastReaderCheck = Mutex(ContinuousClock.now)
  let databases = DatabaseHandles()
  let gate = TransactionGate()
  let writerLock = Monitor()
  @usableFromInline let writeContext: WriteContext
  let dataFile: DataFile
  private let roomAhead: RoomAhead
  let folder: EnvironmentFolder
  let identity: EnvironmentIdentity
  let waitsForDevice: Bool
  private let processID = ProcessIdentity.id
  private let hasFailed = Atomic<Bool>(false)
  private let hasNames = Atomic<Bool>(true)

  init(
    handle: Handle, directory: String, options: Options, identity: EnvironmentIdentity, dataFile: DataFile,
    findings: Findings
  ) {
    path = directory
    self.findings = findings
    isReadOnly = options.isReadOnly
    maximumMapSizeBytes = options.maximumMapSizeBytes
    readerCheckInterval = Duration(clampingSeconds: options.readerCheckIntervalSeconds)
    self.handle = handle
    self.identity = identity
    self.dataFile = dataFile
    roomAhead = RoomAhead(of: dataFile)
    folder = EnvironmentFolder(directory, identity)
    waitsForDevice = options.durability != .unsafeNoSync
    writeContext = WriteContext(
      environment: handle.pointer, directory: directory, databases: databases,
      maximumDirtyPages: options.maximumDirtyPages)
  }

  deinit {
    // A forked child shares the parent's lock file and reader slots: closing here would break them.
    guard processID == ProcessIdentity.id else { return }
    gate.discardReaders()
    mdb_env_close(handle.pointer)
    EnvironmentRegistry.shared.didClose(identity, of: ObjectIdentifier(self))
  }

  /// Opens the environment, or returns the one this process already has for the same inode, whatever
  /// its options are. The directory must exist.
  ///
  /// Waits for another process that opens the environment, up to the options' time limit. After a flush that failed in
  /// whatever process, the first opening for writing proves the data file; see `DataFileProof`.
  ///
  /// Throws `noSuchFile`, `accessDenied`, `readOnlyFileSystem`, `invalidFile`, `versionMismatch`, `corrupted` for a
  /// file that is cut short or was not written as it should be, `outOfMemory` when even a small map finds no room,
  /// `timedOut` when another process has kept it from being opened for longer than the options allow, `formerLog` when
  /// its last commits may be in a log that this build does not read, `panic` when the open environment has failed and
  /// its other users still hold it, and `inputOutput` when the device fails: nothing is removed or cut on doubt.
  public static func open(at directory: String, options: Options = Options()) throws -> Environment {
    try EnvironmentRegistry.shared.open(at: directory, options: options)
  }

  /// A flush failed, the meta page could not be written, or the files were replaced: nothing is written until all users
  /// let go.
  public var isUnusable: Bool { hasFailed.load(ordering: .acquiring) }

  func markUnusable() { hasFailed.store(true, ordering: .releasing) }

  /// Says that the environment's files lose their names on purpose, as those of a store in memory do. Without that, the
  /// next write refuses.
  public func expectNoNames() { hasNames.store(false, ordering: .releasing) }

  /// Throws `filesReplaced` where the files that are open are not those of the directory any more.
  package func requireFiles() throws { if hasNames.load(ordering: .acquiring) { try folder.requireFiles() } }

  /// Whether the directory was moved, and another environment is in its place.
  package var isReplaced: Bool { hasNames.load(ordering: .acquiring) && folder.isReplaced }

  /// The directory's path now, wherever it was moved; nil where the files have lost their names, or the system does not
  /// say.
  package var presentPath: String? { hasNames.load(ordering: .acquiring) ? folder.presentPath : path }

  /// Makes room in the file for what a small commit writes; one that is not flushed gains nothing by that.
  func keepRoomAhead() {
    guard waitsForDevice else { return }
    var information = MDB_envinfo()
    var statistics = MDB_stat()
    guard mdb_env_info(handle.pointer, &information) == 0, mdb_env_stat(handle.pointer, &statistics) == 0 else {
      return
    }
    roomAhead.keep(behind: (information.me_last_pgno + 1) * Int(statistics.ms_psize))
  }

  @usableFromInline
  func checkProcess() {
    precondition(
      processID == ProcessIdentity.id,
      "an LMDB environment was used in a forked child; open it again there, in a fresh process image")
  }
}
