public import RecordStore

/// How a ``SyncEngine`` works. The defaults suit an app.
public struct SyncOptions: Sendable {
  /// Names the family of stores in the exchange folder. Nil: the store's own id.
  public var storeID: RecordID?
  /// How people know this device; written into the replica's head.
  public var displayName = ""
  /// A change set ends with the transaction that reaches this size.
  public var changeSetBytes = 1 << 20
  /// A merge commits after this many records, so that memory and the writer's time stay bounded.
  public var recordsPerCommit = 20_000
  /// Whether a folder that was used before and is gone is set up again. True only where nobody else moves the
  /// folder, such as a device's own copy: elsewhere a missing folder is an unmounted or wiped one.
  public var recreatesMissingFolder = false
  /// Called on the engine's own queue; must not block.
  public var progress: (@Sendable (SyncEvent) -> Void)?

  public init() {}
}
