/// An insert in the history of a store of this library.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// The place among the transaction's changes.
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
}
