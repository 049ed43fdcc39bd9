public import Foundation

/// One save, or one merge of another device's saves, as the stores of this library tell of it.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The place in history of a transaction.
  public typealias TokenType = DefaultHistoryToken
  /// The number of a transaction.
  public typealias TransactionIdentifier = Int64

  /// The ``ModelContext/author`` of the saving context.
  public let author: String?
  /// The program that saved, by its name.
  public let bundleIdentifier: String
  /// The process that saved, by its number.
  public let processIdentifier: String
  /// The effects of delete rules and of unique values are included.
  public let changes: [HistoryChange]
  /// The identifier of the store, as identifiers of objects have it.
  public let storeIdentifier: String
  /// When the store committed it, by the clock of its device.
  public let timestamp: Date
  /// The place in history right after this transaction.
  public let token: DefaultHistoryToken
  /// Rises with every transaction of the store.
  public let transactionIdentifier: Int64
  /// Where it was made: in this process, in another process, or on another device whose saves were merged.
  public let origin: ContainerTransaction.Origin
  /// Names the device whose saves a merge brought; nil for a save on this one.
  public let mergedReplica: String?

  /// The same as ``transactionIdentifier``.
  public var id: Int64 { transactionIdentifier }

  /// Whether both are one transaction of one store, whatever was read of it.
  public static func == (left: DefaultHistoryTransaction, right: DefaultHistoryTransaction) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
  }

  /// Hashes the transaction's number and its store.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
