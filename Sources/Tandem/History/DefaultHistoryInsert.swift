/// An insert in the history of a store of this library.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// The place among the transaction's changes.
  public let changeIdentifier: Int64
  /// The transaction that the change is part of.
  public let transactionIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
}
