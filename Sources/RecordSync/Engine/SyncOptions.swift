package import Foundation
public import RecordStore

/// How a ``SyncEngine`` works. The defaults suit an app.
public struct SyncOptions: Sendable {
  /// Which large values of others come by themselves.
  public enum LargeValues: Hashable, Sendable {
    /// All that records name.
    case all
    /// Those that ``SyncEngine/loadValue(sha256:)`` asks for, and those of attributes in an index.
    case onDemand
    /// Those with one of these digests, SHA-256 in lower-case hexadecimal, and those of attributes in an index.
    case named(Set<String>)

    /// The digests of those that come; nil: all.
    var chosen: Set<String>? {
      switch self {
      case .all: nil
      case .onDemand: []
      case .named(let digests): digests
      }
    }
  }

  /// Names the family of stores in the exchange folder. Nil: the store's own id, which only its copies share. A folder
  /// in which another family has the same entities is told of in ``SyncReport/warnings``.
  public var storeID: RecordID?
  /// Encrypts what is written into the folder, and takes nothing else from it; nil: files lie there as they are, and a
  /// folder that is encrypted is refused. All devices of the family have the same key, mostly in a ``KeyFile``; that of
  /// a shared family is in its ``FamilyFile``, and names the family where ``storeID`` is nil.
  public var key: FamilyKey?
  /// How people know this device; written into the replica's head.
  public var displayName = ""
  /// A change set ends with the transaction that reaches this size, before it is packed.
  public var changeSetBytes = 1 << 20
  /// A merge commits after this many records, so that memory and the writer's time stay bounded.
  public var recordsPerCommit = 20_000
  /// Whether a folder that was used before and is gone is set up again. True only where nobody else moves the
  /// folder, such as a device's own copy: elsewhere a missing folder is an unmounted or wiped one.
  public var recreatesMissingFolder = false
  /// Whether every user of the machine may read what is written into the folder. Else only the store's user may, and a
  /// group that may write to the folder in which a file is made.
  public var sharesFolder = false
  /// How often ``SyncEngine/sync()`` looks whether something can be forgotten or made smaller. Infinity lets it look
  /// once.
  public var maintenanceIntervalSeconds = 86_400.0
  /// Deletes younger than this are not collected by ``SyncEngine/sync()``: devices that are new to the family, or were
  /// away, then rarely meet what was forgotten.
  public var collectionAgeSeconds = 30 * 86_400.0
  /// So many own change sets smaller than half of ``changeSetBytes`` are joined.
  public var smallChangeSetLimit = 16
  /// A snapshot is written once change sets of this size could be removed for it.
  public var snapshotBytes = 4 << 20
  /// Transactions younger than this stay in history, for readers with older tokens. Infinity keeps all of it.
  public var historyRetentionSeconds = 90 * 86_400.0
  /// The file beside the store that says to which shared family it belongs: the engine works only as long as that is
  /// the family of ``key``, or as long as there is no file and ``key`` is of none.
  package var familyFile: URL?
  /// Whether the store belongs to a shared family though the engine has no key of it, for it works on the device's own
  /// copy of the folder.
  var isShared = false
  /// Whether large values lie in the folder, too. False for a device's own copy, to which the store lies next door.
  var exchangesValues = true
  /// Which large values of others come with a synchronisation. A record is there without its value, too.
  public var largeValues = LargeValues.all
  /// How many bytes of files one run may move, both ways together; nil: any number. A run that reaches the bound leaves
  /// the rest to the next one, and says so in ``SyncReport/postponed``.
  ///
  /// Files are moved whole, and in an order that leaves a valid folder. So that each run comes further, the first file
  /// of each way is moved however large it is. A snapshot counts as one file. Heads count, the device's own one is
  /// written in any case, and of others' for which there is no room one of each store goes each way. Each run begins
  /// with the replica after the last one of the run before, so that none keeps the others away. Of a stream that was
  /// forked all files are read to find where it parts; each counts of which something is merged. The daily maintenance,
  /// and the writing of a folder anew after a change of key, come in a run that has nothing else to move.
  public var maximumBytes: Int?
  /// Called on the engine's own queue; must not block.
  public var progress: (@Sendable (SyncEvent) -> Void)?

  /// The defaults.
  public init() {}
}
