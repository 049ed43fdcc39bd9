/// What a transaction did to one object.
///
/// ```swift
/// switch change {
/// case .insert(let insert as DefaultHistoryInsert<Trip>): show(insert.changedPersistentIdentifier)
/// case .update(let update as DefaultHistoryUpdate<Trip>) where update.containsAttribute(\.name): …
/// case .delete(let delete as DefaultHistoryDelete<Trip>): forget(delete.tombstone[\.code] as? String)
/// default: break
/// }
/// ```
public enum HistoryChange: Sendable {
  case insert(any HistoryInsert)
  case update(any HistoryUpdate)
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
public protocol HistoryInsert<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  var changeIdentifier: ChangeIdentifier { get }
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An object whose properties changed.
public protocol HistoryUpdate<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  var changeIdentifier: ChangeIdentifier { get }
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The attributes and to-one relationships that changed, as far as they lie in the object's own record.
  var updatedAttributes: [any PropertyUpdate] { get }
}

/// An object that was deleted, by itself or by a delete rule, or was taken away by a merge.
public protocol HistoryDelete<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  var changeIdentifier: ChangeIdentifier { get }
  var transactionIdentifier: TransactionIdentifier { get }
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The last values of the properties that are declared `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
