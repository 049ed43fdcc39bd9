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
  /// Records that a unique value made one, in the order in which it happened.
  public var joins: [RecordJoin] = []

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

/// Two records that are one from now on, as they were before.
public struct RecordJoin: Hashable, Sendable {
  /// Under the id that stands for both.
  public var kept: RecordFacts
  public var gone: RecordFacts

  public init(kept: RecordFacts, gone: RecordFacts) {
    self.kept = kept
    self.gone = gone
  }
}
