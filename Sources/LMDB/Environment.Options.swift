extension Environment {
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
    /// How long opening waits for another process that opens or closes an environment with a redo log; `timedOut` is
    /// thrown then. One that does commits again after a crash is waited for until it is done.
    public var openingTimeoutSeconds = 5.0
    public var isReadOnly = false
    public var durability: Durability = .full
    /// Whether small commits in quick succession wait for one flush of a log instead of two of the data file; then
    /// the writer calls ``Environment/rest()`` when it pauses. All processes that write to an environment say the
    /// same. Only those with ``Durability/full`` log.
    public var keepsRedoLog = false
    /// Of which databases, by name, an opening asks the system for the roots: those that are read soon. Each that is
    /// not in memory costs two system calls, and saves who looks something up a wait for the disk.
    public var prefetchesRoot: @Sendable (_ database: String) -> Bool = { _ in true }
    /// Permission bits for files that are created.
    public var fileMode: UInt32 = 0o600
    public init() {}
  }

  public enum Durability: Sendable {
    /// Every commit reaches the device (two flushes).
    case full
    /// May lose the last commits on power loss, never integrity (`MDB_NOMETASYNC`).
    case relaxed
    /// Power loss may destroy the store (`MDB_NOSYNC`): in-memory stores and tests only.
    case unsafeNoSync
  }
}
