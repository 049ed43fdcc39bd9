/// An update in the history of a store of this library.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// The place among the transaction's changes.
  public let changeIdentifier: Int64
  public let transactionIdentifier: Int64
  public let changedPersistentIdentifier: PersistentIdentifier
  public let updatedAttributes: [any PropertyUpdate]
  /// What the changed properties were before; nil unless the saving configuration
  /// ``ModelConfiguration/keepsChangedValues``.
  public let oldValues: HistoryTombstone<Model>?
  /// What they became; nil as ``oldValues``.
  public let newValues: HistoryTombstone<Model>?

  /// Whether a property is among the changed ones.
  public func containsAttribute(_ keyPath: PartialKeyPath<Model>) -> Bool {
    updatedAttributes.contains { $0 == keyPath }
  }
}
