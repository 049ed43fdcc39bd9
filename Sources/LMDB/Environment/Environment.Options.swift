extension Environment {
  /// How an environment is opened.
  public struct Options: Sendable {
    /// The address space to reserve; the file grows by writing only. 16 GiB unless set. Where the
    /// system refuses that much, smaller maps are tried.
    public var mapSizeBytes: Int = 16 << 30
    /// How far a full map may grow: 1 TiB unless set.
    public var maximumMapSizeBytes: Int = 1 << 40
    /// Named databases that this process can have open. Each costs 61 bytes per open transaction.
    public var maximumDatabases: Int = 1024
    /// Slots for readers, shared by all processes; the first process to open decides.
    public var maximumReaders: Int = 510
    /// A write clears the reader slots of dead processes when the last look was longer ago than this.
    /// Only writes suffer from them, so no other timer is needed.
    public var readerCheckIntervalSeconds = 1.0
    /// How long opening waits for another process that opens the environment; `timedOut` is thrown then.
    public var openingTimeoutSeconds = 5.0
    /// Opens the environment for reading alone.
    public var isReadOnly = false
    /// Reads without a lock file, and leaves none: for a file that nobody writes to, such as a backup. Only with
    /// ``isReadOnly``. Where nobody can write, an opening for reading does so by itself.
    public var isWithoutLocks = false
    /// How much of what was committed survives power loss.
    public var durability: Durability = .full
    /// The changed pages of 4 KiB that a write transaction holds in memory: 64 MiB unless set. Those beyond are written
    /// to places of the file that no snapshot sees, and read again if they change once more. Values that have pages of
    /// their own count as one each. At least 256, at most 131,071, which is LMDB's own bound; that holds for nested
    /// transactions, and where `TANDEM_FOREIGN_LAYOUTS` turns `dirtyPages` off.
    public var maximumDirtyPages = 16_384
    /// Whether an opening asks the system for the root of a database, by its name: for those that are read soon. Each
    /// that is not in memory costs two system calls, and saves a look-up a wait for the disk.
    public var prefetchesRoot: @Sendable (_ database: String) -> Bool = { _ in true }
    /// Permission bits for files that are created.
    public var fileMode: UInt32 = 0o600
    /// The defaults.
    public init() {}
  }

  /// The bound of what power loss may take.
  public enum Durability: Sendable {
    /// Every commit reaches the device (two flushes).
    case full
    /// May lose the last commits on power loss, never integrity (`MDB_NOMETASYNC`).
    case relaxed
    /// Power loss may destroy the store (`MDB_NOSYNC`): in-memory stores and tests only.
    case unsafeNoSync
  }
}
