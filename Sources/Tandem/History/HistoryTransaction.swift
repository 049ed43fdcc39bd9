public import Foundation

/// One save, as a store's history tells of it.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  associatedtype TokenType: Comparable & Hashable & Identifiable & Sendable
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// What the saving context had as ``ModelContext/author``.
  var author: String? { get }
  var changes: [HistoryChange] { get }
  var storeIdentifier: String { get }
  /// When the store committed it, by the clock of its device.
  var timestamp: Date { get }
  /// The place in history right after this transaction.
  var token: TokenType { get }
  var transactionIdentifier: TransactionIdentifier { get }
}
