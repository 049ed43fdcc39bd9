/// Something that a store of this process did, as ``StoreEvents`` tells it.
///
/// An event names the store by the path of its directory, and says how many and how long. It holds no value and no id
/// of a record, so it may go into a log that strangers read.
public enum StoreEvent: Hashable, Sendable {
  /// A store was made at the path.
  case created(store: String)
  /// A handle on the store was opened. Seconds: until it could be used.
  case opened(store: String, seconds: Double)
  /// An opening found what a crash or a failing device had left, and mended it.
  case recovered(store: String, StoreRecovery)
  /// The store was brought to another version of its schema, in so many steps.
  case migrated(store: String, from: SchemaVersion, to: SchemaVersion, steps: Int)
  /// A commit of this process is on the device.
  case saved(store: String, StoreCommit)
  /// The store did not do what it was asked for, and is as it was before. After `commitOutcomeUnknown` alone that is
  /// not known.
  case refused(store: String, StoreActivity, StoreError.Code)
}

/// A kind of work on a store.
public enum StoreActivity: String, Hashable, Sendable {
  /// A store is opened, or made.
  case opening
  /// A store is brought to another version of its schema.
  case migration
  /// Changes are saved, by an app or by a merge.
  case save
}

/// The traces of an earlier trouble that an opening removed.
public struct StoreRecovery: Hashable, Sendable {
  /// The number of snapshots that processes left open when they were killed. They kept pages from being used again.
  public var abandonedReaders: Int
  /// Whether a device had failed to flush, and the whole data file was read and found sound.
  public var wasProven: Bool

  /// Creates a finding from its parts.
  public init(abandonedReaders: Int, wasProven: Bool) {
    self.abandonedReaders = abandonedReaders
    self.wasProven = wasProven
  }
}

/// One commit, which may hold several saves that were waiting at the same time.
public struct StoreCommit: Hashable, Sendable {
  /// The number of saves that it made durable.
  public var saves: Int
  /// The seconds that it took, those included in which another process kept the store locked.
  public var seconds: Double
  /// The store's state after the commit; nil where it was measured less than a second ago.
  public var gauge: StoreGauge?

  /// Creates a commit from its parts.
  public init(saves: Int, seconds: Double, gauge: StoreGauge? = nil) {
    self.saves = saves
    self.seconds = seconds
    self.gauge = gauge
  }
}

/// Sizes and counts of a store at one moment.
public struct StoreGauge: Hashable, Sendable {
  /// The slots of the table of readers that are taken, over all processes.
  public var readers: Int
  /// The slots that there are.
  public var maximumReaders: Int
  /// The bytes up to which the data file can grow before the map has to.
  public var mapBytes: Int
  /// The bytes of the data file up to its last used page.
  public var usedBytes: Int

  /// Creates a measurement from its parts.
  public init(readers: Int, maximumReaders: Int, mapBytes: Int, usedBytes: Int) {
    self.readers = readers
    self.maximumReaders = maximumReaders
    self.mapBytes = mapBytes
    self.usedBytes = usedBytes
  }
}
