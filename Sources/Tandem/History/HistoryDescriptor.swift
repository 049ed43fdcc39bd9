public import Foundation

/// Which transactions of the history to fetch or to delete.
public struct HistoryDescriptor<TransactionType: HistoryTransaction>: Sendable {
  /// Nil: all transactions. `transaction.token > last` begins to read right there.
  public var predicate: Predicate<TransactionType>?
  /// Empty: the oldest first.
  public var sortBy: [SortDescriptor<TransactionType>]
  /// At most so many, counted after sorting; 0: all.
  public var fetchLimit: UInt64 = 0

  /// A descriptor of the transactions that satisfy a predicate, the oldest first.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.init(predicate: predicate, sortBy: [])
  }

  /// A descriptor of the transactions that satisfy a predicate, in an order.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>]) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

extension HistoryDescriptor {
  /// Whether a transaction is meant. A predicate that means nothing for it does not accept it.
  func accepts(_ transaction: TransactionType) -> Bool {
    do {
      return try predicate?.evaluate(transaction) ?? true
    } catch {
      return false
    }
  }

  /// Sorts the accepted transactions, and cuts them to the limit.
  func window(_ transactions: [TransactionType]) -> [TransactionType] {
    let sorted = sortBy.isEmpty ? transactions : transactions.sorted(using: sortBy)
    return fetchLimit == 0 ? sorted : Array(sorted.prefix(Int(clamping: fetchLimit)))
  }
}
