// CONTRACT STUB: to be implemented by the owner of this module.

/// One LMDB environment: a directory with `data.mdb` and `lock.mdb`, opened once per process and inode.
public final class Environment: Sendable {
  public struct Options: Sendable {
    /// The address space to reserve; the file grows by writing only. 16 GiB unless set.
    public var mapSizeBytes: Int = 16 << 30
    public var maximumDatabases: Int = 1024
    public var maximumReaders: Int = 510
    public var isReadOnly = false
    public var durability: Durability = .full
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

  /// Opens the environment, or returns the one this process already has for the same inode.
  public static func open(at directory: String, options: Options = Options()) throws -> Environment {
    fatalError("stub")
  }

  /// The directory as given at the first open.
  public var path: String { fatalError("stub") }

  /// Lends a snapshot. Readers come from a pool; keep the closure short: no page that the snapshot
  /// sees can be reused before it ends.
  public func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
    fatalError("stub")
  }

  /// Runs a write transaction on the calling thread, which must be the environment's writer thread,
  /// from begin to end. Commits when `body` returns, aborts when it throws.
  public func write<Result>(_ body: (borrowing WriteTransaction) throws -> Result) throws -> Result {
    fatalError("stub")
  }

  /// The named database, opened on first use; nil if the file has none of that name.
  public func database(named name: String) throws -> Database? { fatalError("stub") }

  /// Clears reader slots of dead processes; returns how many there were.
  @discardableResult
  public func checkStaleReaders() throws -> Int { fatalError("stub") }

  /// A consistent copy in an existing empty directory, optionally without free pages.
  public func copy(to directory: String, compacting: Bool) throws { fatalError("stub") }

  public struct Information: Sendable {
    public var mapSizeBytes: Int
    public var usedBytes: Int
    public var lastTransactionID: UInt64
    public var maximumReaders: Int
    public var activeReaders: Int
  }
  public func information() throws -> Information { fatalError("stub") }
}
