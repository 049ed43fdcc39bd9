/// An update in the history of a store of this library.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// The place among the transaction's changes.
  public let changeIdentifier: Int64
  /// The transaction that the change is part of.
  public let transactionIdentifier: Int64
  /// The object's identifier.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The attributes and to-one relationships that changed, as far as they lie in the object's own record, and the
  /// many-to-many relationships to which a link came or of which one went.
  public let updatedAttributes: [any PropertyUpdate]
  /// The former values of the changed properties in the object's record; nil unless the saving configuration
  /// ``ModelConfiguration/keepsChangedValues``, and where only links of many-to-many relationships changed.
  public let oldValues: HistoryTombstone<Model>?
  /// The new values of the changed properties; nil as ``oldValues``.
  public let newValues: HistoryTombstone<Model>?

  /// Whether a property is among the changed ones.
  public func containsAttribute(_ keyPath: PartialKeyPath<Model>) -> Bool {
    updatedAttributes.contains { $0 == keyPath }
  }
}
