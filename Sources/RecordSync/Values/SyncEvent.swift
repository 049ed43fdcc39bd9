public import RecordStore

/// A step of a synchronisation, as it happens: for a progress line. Numbers of one replica only rise within a run.
///
/// ```swift
/// @Sendable func tell(_ event: SyncEvent) {
///   switch event {
///   case .began(SyncActivity.export): show("publishing")
///   case .exported(_, let reached, let last): show("\(reached) of \(last)")
///   default: break
///   }
/// }
/// var options = SyncOptions()
/// options.progress = tell
/// ```
public enum SyncEvent: Hashable, Sendable {
  /// A run of the engine began.
  case began(SyncActivity)
  /// A change set was published: the own sequence number reached, and the last one that was saved by then.
  case exported(file: String, upTo: UInt64, of: UInt64)
  /// A batch was merged: the replica's sequence number reached, and the last one that lies in the folder.
  case merged(replica: ReplicaID, upTo: UInt64, of: UInt64)
  /// A piece of a large value was copied, into the folder or out of it: the value's SHA-256 in hexadecimal, the bytes
  /// copied so far, and how many it has.
  case copied(value: String, bytes: Int, of: Int)
  /// A file was not taken. The rest proceeds.
  case refused(SyncReport.Refusal)
  /// The run ended well. A run that throws, or is cancelled, ends with ``stopped(_:)`` instead.
  case ended(SyncActivity, SyncReport)
  /// The run stopped; what was told until then is done, and the next run goes on from there.
  case stopped(SyncActivity)
}

/// The kind of a ``SyncEngine``'s work in one run.
public enum SyncActivity: Hashable, Sendable {
  /// Own transactions are published.
  case export
  /// Others' transactions are merged.
  case `import`
  /// Collection, compaction, history.
  case maintenance
}
