/// What a commit did.
public struct SaveResult: Hashable, Sendable {
  /// The number in this store's history; 0 if there was nothing to do.
  public var number: UInt64
  public var dot: Dot
  public var stamp: Stamp
  /// Ids that an insert asked for, and the ids of the existing records that took its values.
  public var remapped: [RecordID: RecordID]
  /// Everything that changed for readers, effects such as cascades and aliases included.
  public var changes: [HistoryChange]

  public init(
    number: UInt64, dot: Dot, stamp: Stamp, remapped: [RecordID: RecordID] = [:], changes: [HistoryChange] = []
  ) {
    self.number = number
    self.dot = dot
    self.stamp = stamp
    self.remapped = remapped
    self.changes = changes
  }
}
