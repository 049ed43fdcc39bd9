/// A data store that has a history.
public protocol HistoryProviding: AnyObject {
  /// The type of the store's transactions.
  associatedtype HistoryType: HistoryTransaction
  /// The type of the store's transactions, for code that has only a store.
  static var historyType: HistoryType.Type { get }

  /// The transactions that a descriptor means.
  ///
  /// - Throws: Anything; the context's fetch then throws it.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
  /// Deletes the transactions that a descriptor means.
  ///
  /// - Throws: Anything; the context's deletion then throws it.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The associated type.
  public static var historyType: HistoryType.Type { HistoryType.self }
}
