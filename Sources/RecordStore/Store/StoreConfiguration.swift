public import Foundation

/// Where a store is and how to open it.
public struct StoreConfiguration: Sendable, Hashable {
  /// The bound of what power loss may take.
  public enum Durability: Sendable, Hashable {
    /// A save that returned survives power loss.
    case full
    /// Power loss may take the last saves, never the store's integrity.
    case relaxed
    /// Power loss may destroy the store: for tests and stores that are thrown away.
    case unsafeNoFlush
  }

  /// The store's directory, by custom named `….store`. Nil: a private directory that goes with the last handle
  /// (in memory).
  public var url: URL?
  /// Whether this process reads only; commits throw `readOnly`.
  public var isReadOnly: Bool
  /// Whether a missing store is created (never in read-only mode).
  public var createsIfMissing: Bool
  /// How much of what was committed survives power loss.
  public var durability: Durability
  /// The address space to reserve for the file, which grows by writing only.
  public var mapSizeBytes: Int
  /// How long a save waits for another process's save, and an opening for another process that creates, migrates or
  /// opens the store. Infinity waits for good.
  public var timeoutSeconds: Double
  /// The effect of an insert that carries a unique value of another record.
  public var uniqueness: UniquenessPolicy
  /// Opens although the file system is not local. Two machines writing would destroy the store: unsafe.
  public var unsafelyAllowsNetworkFileSystem: Bool
  /// Read and write rights for the group of users too (0770/0660 instead of 0700/0600).
  public var isSharedWithUserGroup: Bool
  /// Whether history keeps what an update's fields were and became, of saves and merges through this handle.
  public var keepsChangedValues = false
  /// How many copies of the store from before its migrations are kept; 0: none is made. See ``StoreBackup``.
  public var backupCount: Int
  /// From so many bytes on, a value of type `Data` whose attribute is stored externally lies in a file beside the
  /// store; between 64 and 131,072, which is the default. Opening a store throws `invalidRequest` for any other number.
  ///
  /// Decides about what this handle saves from now on. A value that is there stays where it is until it is replaced,
  /// and one that arrives from another device stays what its save has made of it. So the devices of a family, and the
  /// processes of one store, may have different numbers. A value in a file costs a file and its opening by a reader;
  /// one in the record is copied with each change of that record.
  public var largeValueBytes = ExternalReference.canonicalByteCount
  /// Milliseconds since 1970; nil: the system's clock. Tests and simulations give their own.
  public var clock: WallClock
  /// The replica id of a store that this opening creates; nil: drawn at random. For simulations, where equal
  /// stamps shall be decided in a known order.
  package var replicaOfNewStore: ReplicaID?
  /// False for a store that plays one on a copied disk: nothing outside it shows that it is a copy.
  package var confirmsIdentity = true
  /// Opens although earlier attempts ended the process: for a process whose end somebody watches.
  package var ignoresOpeningMarker = false
  /// Reads without a lock file, and leaves nothing beside the data: for a copy that nobody writes to. A directory with
  /// a manifest of a backup is read so anyway.
  var isBackup = false
  /// The seed of replica ids that the store takes later; nil: they are drawn at random. For simulations, which
  /// must go the same way each time.
  package var renewalSeed: UInt64?
  /// A rule made wrong on purpose, for tests of the simulator; nil: all rules as they are.
  package var ruleMutation: RuleMutation?
  /// Whether the gate may let records pass at which no rule looks (``RuleGate``); false for tests that compare.
  package var savesPlainly = true
  /// The bytes by which one save can be told to other devices; more are refused. Less for tests.
  package var maximumTransactionBytes = TransactionCodec.maximumByteCount
  /// The pages of 4 KiB that a commit holds in memory at most; those beyond are written before it ends. Nil: as many as
  /// `Environment.Options` has.
  package var maximumDirtyPages: Int?

  /// Creates a configuration from its parts.
  public init(
    url: URL?, isReadOnly: Bool = false, createsIfMissing: Bool = true, durability: Durability = .full,
    mapSizeBytes: Int = 16 << 30, timeoutSeconds: Double = 5, uniqueness: UniquenessPolicy = .upsert,
    unsafelyAllowsNetworkFileSystem: Bool = false, isSharedWithUserGroup: Bool = false, backupCount: Int = 3,
    clock: WallClock = .system
  ) {
    self.url = url
    self.isReadOnly = isReadOnly
    self.createsIfMissing = createsIfMissing
    self.durability = durability
    self.mapSizeBytes = mapSizeBytes
    self.timeoutSeconds = timeoutSeconds
    self.uniqueness = uniqueness
    self.unsafelyAllowsNetworkFileSystem = unsafelyAllowsNetworkFileSystem
    self.isSharedWithUserGroup = isSharedWithUserGroup
    self.backupCount = backupCount
    self.clock = clock
  }
}
