public import Foundation

/// One save, as a store's history tells of it.
///
/// ```swift
/// func line(_ transaction: some HistoryTransaction) -> String {
///   "\(transaction.transactionIdentifier) by \(transaction.author ?? "the app"): \(transaction.changes.count)"
/// }
/// func lines(of store: some HistoryProviding) throws -> [String] {
///   try store.fetchHistory(HistoryDescriptor()).map { line($0) }
/// }
/// ```
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The place in history of a transaction.
  associatedtype TokenType: Comparable & Hashable & Identifiable & Sendable
  /// The number of a transaction.
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// The ``ModelContext/author`` of the saving context.
  var author: String? { get }
  /// The transaction's effects, object by object.
  var changes: [HistoryChange] { get }
  /// The identifier of the store, as identifiers of objects have it.
  var storeIdentifier: String { get }
  /// When the store committed it, by the clock of its device.
  var timestamp: Date { get }
  /// The place in history right after this transaction.
  var token: TokenType { get }
  /// The transaction's number.
  var transactionIdentifier: TransactionIdentifier { get }
}
