/// A delete in the history of a store of this library.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// The place among the transaction's changes.
  public let changeIdentifier: Int64
  /// The transaction that the change is part of.
  public let transactionIdentifier: Int64
  /// The identifier that the object had.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The last values of the properties that are declared `.preserveValueOnDeletion`.
  public let tombstone: HistoryTombstone<Model>
}
