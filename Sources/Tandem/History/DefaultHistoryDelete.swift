/// A delete in the history of a store of this library.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// The place among the transaction's changes.
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  public let tombstone: HistoryTombstone<Model>
}
