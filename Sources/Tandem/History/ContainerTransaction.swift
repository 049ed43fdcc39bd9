public import Foundation
import RecordStore

/// One commit to a store of a container, by whom and what it changed.
///
/// ```swift
/// func apply(_ transaction: ContainerTransaction) {
///   switch transaction.origin {
///   case .thisProcess where transaction.author != "import": break
///   case .thisProcess, .otherProcess, .merge: refresh(transaction.inserted + transaction.updated)
///   }
/// }
/// ```
public struct ContainerTransaction: Sendable, Hashable {
  /// Where a transaction was made.
  public enum Origin: Sendable, Hashable {
    /// A context of this process saved.
    case thisProcess
    /// Another process on the same store saved, or an earlier one, whatever its number. Processes that have one number
    /// at one time are taken for one, as the first ones of two containers are that share a store.
    case otherProcess
    /// Another device's transactions were merged.
    case merge
  }

  /// Names the store's family, as in ``PersistentIdentifier/storeIdentifier``.
  public let storeIdentifier: String
  /// Rises with every transaction of the store.
  public let number: UInt64
  /// Where the transaction was made.
  public let origin: Origin
  /// The ``ModelContext/author`` of the saving context.
  public let author: String?
  /// The name of the program that saved.
  public let processName: String
  /// The process id of the program that saved.
  public let processIdentifier: Int32
  /// When the store committed it, by the clock of its device.
  public let committedAt: Date
  /// The objects that came to be. Here and below, the effects of delete rules and of unique values are included.
  public let inserted: [PersistentIdentifier]
  /// The objects whose properties changed, many-to-many relationships included; see <doc:History>.
  public let updated: [PersistentIdentifier]
  /// The objects that were deleted, by themselves or by a delete rule.
  public let deleted: [PersistentIdentifier]
}

extension ContainerTransaction {
  init(_ transaction: StoreTransaction, _ store: StoreBinding, _ core: ContainerCore) {
    let classes = Self.classes(of: transaction, store, core)
    let linked = LinkedObjects(transaction.changes, classes)
    func identifiers(_ kind: StoreChange.Kind) -> [PersistentIdentifier] {
      transaction.changes.filter { $0.kind == kind }.compactMap { classes.identifier(of: $0) }
    }
    storeIdentifier = store.identifier
    number = transaction.number
    origin = Origin(transaction, store.store)
    author = transaction.author
    processName = transaction.processName
    processIdentifier = transaction.processIdentifier
    committedAt = transaction.committedAt
    inserted = identifiers(.insert)
    updated = identifiers(.update) + linked.others.map(\.identifier)
    deleted = identifiers(.delete)
  }

  /// A stream cannot throw: a failure is left to the next call on the container that can.
  private static func classes(
    of transaction: StoreTransaction, _ store: StoreBinding, _ core: ContainerCore
  ) -> ChangedClasses {
    do {
      return try ChangedClasses(transaction.changes, in: store, core, readsLinks: true)
    } catch {
      core.note(error)
      return ChangedClasses(in: store, core)
    }
  }
}

extension ContainerTransaction.Origin {
  init(_ transaction: StoreTransaction, _ store: RecordStore) {
    self = transaction.isMerge ? .merge : store.ownTransactions.contains(transaction) ? .thisProcess : .otherProcess
  }
}
