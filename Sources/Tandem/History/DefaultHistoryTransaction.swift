public import Foundation

/// One save, or one merge of another device's saves, as the stores of this library tell of it.
public struct DefaultHistoryTransaction: HistoryTransaction {
  public typealias TokenType = DefaultHistoryToken
  public typealias TransactionIdentifier = Int64

  public let author: String?
  /// The program that saved, by its name.
  public let bundleIdentifier: String
  /// The process that saved, by its number.
  public let processIdentifier: String
  /// The effects of delete rules and of unique values are included.
  public let changes: [HistoryChange]
  public let storeIdentifier: String
  public let timestamp: Date
  public let token: DefaultHistoryToken
  /// Rises with every transaction of the store.
  public let transactionIdentifier: Int64
  /// Who made it: a context of this process, another process, or another device whose saves were merged.
  public let origin: ContainerTransaction.Origin
  /// Names the device whose saves a merge brought; nil for a save on this one.
  public let mergedReplica: String?

  public var id: Int64 { transactionIdentifier }

  public static func == (left: DefaultHistoryTransaction, right: DefaultHistoryTransaction) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier && left.storeIdentifier == right.storeIdentifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
