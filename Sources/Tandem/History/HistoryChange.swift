/// The effect of a transaction on one object.
///
/// ```swift
/// switch change {
/// case .insert(let insert as DefaultHistoryInsert<Trip>): show(insert.changedPersistentIdentifier)
/// case .update(let update as DefaultHistoryUpdate<Trip>) where update.containsAttribute(\.name):
///   rename(update.changedPersistentIdentifier)
/// case .delete(let delete as DefaultHistoryDelete<Trip>): forget(delete.tombstone[\.code] as? String)
/// default: break
/// }
/// ```
public enum HistoryChange: Sendable {
  /// An object came to be.
  case insert(any HistoryInsert)
  /// An object's properties changed.
  case update(any HistoryUpdate)
  /// An object was deleted.
  case delete(any HistoryDelete)

  /// The object. After a delete, an identifier without an object.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let insert): insert.changedPersistentIdentifier
    case .update(let update): update.changedPersistentIdentifier
    case .delete(let delete): delete.changedPersistentIdentifier
    }
  }
}

/// An object that came to be, or became visible by a merge.
///
/// ```swift
/// func line(_ insert: some HistoryInsert) -> String { "+ \(insert.changedPersistentIdentifier.entityName)" }
/// func line(_ update: some HistoryUpdate) -> String { "~ \(update.updatedAttributes.count) properties" }
/// func line(_ delete: some HistoryDelete) -> String { "- with \(Array(delete.tombstone).count) last values" }
/// ```
public protocol HistoryInsert<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// The change's place among those of its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The object's identifier.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An object whose properties changed.
public protocol HistoryUpdate<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  /// A property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The change's place among those of its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The object's identifier.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The attributes and to-one relationships that changed, as far as they lie in the object's own record, and the
  /// many-to-many relationships to which a link came or of which one went.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// An object that was deleted, by itself or by a delete rule, or was taken away by a merge.
public protocol HistoryDelete<Model>: Sendable {
  /// The class of the object.
  associatedtype Model: PersistentModel
  /// The type of the number of a change.
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  /// The type of the number of a transaction.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// The change's place among those of its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// The transaction that the change is part of.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier that the object had.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The last values of the properties that are declared `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
