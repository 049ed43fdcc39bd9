public import RecordStore

/// A step of a synchronisation, as it happens: for a progress line.
public enum SyncEvent: Hashable, Sendable {
  /// A change set was published, up to this sequence number.
  case exported(file: String, upTo: UInt64)
  /// A batch was merged: the replica's sequence number reached, and the last one that lies in the folder.
  case merged(replica: ReplicaID, upTo: UInt64, of: UInt64)
  case refused(SyncReport.Refusal)
}
