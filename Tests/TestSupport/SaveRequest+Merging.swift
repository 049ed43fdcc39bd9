package import RecordStore

extension SaveRequest {
  /// Joins transactions of one other replica, as values.
  package static func merging(_ transactions: [TransactionFacts]) -> SaveRequest {
    let origins = transactions.map {
      TransactionOrigin(dot: $0.dot, stamp: $0.stamp, author: $0.author, context: $0.context, once: $0.once)
    }
    return SaveRequest(.merge(MergeWork(origins, .facts(transactions.flatMap(\.records)))))
  }
}
