import RecordStore

/// Reads the history of a container's stores as one: each store's transactions in their order, those of several by the
/// time of their commit.
struct HistoryReader {
  private let core: ContainerCore
  /// Where to begin; a store that it does not name from its oldest transaction.
  private let after: DefaultHistoryToken?

  init(_ core: ContainerCore, after: DefaultHistoryToken?) {
    self.core = core
    self.after = after
  }

  /// Throws `SwiftDataError.historyTokenExpired` if some of what was asked for is not there any more.
  ///
  /// - Parameter includesUnseen: Whether those are among them that changed no class of the container, without a change.
  ///   Others may see them.
  func transactions(includesUnseen: Bool = false) throws -> [DefaultHistoryTransaction] {
    try read(includesUnseen: includesUnseen).transactions
  }

  /// The transactions, and the place behind the last one that was read, which may have changed no class.
  func read(includesUnseen: Bool = false) throws -> (
    transactions: [DefaultHistoryTransaction], end: DefaultHistoryToken
  ) {
    var queues = try core.ownStores.map { try queue(of: $0) }
    let classes = try queues.map { queue in
      try ChangedClasses(queue.transactions.lazy.flatMap(\.changes), in: queue.store, core, readsLinks: true)
    }
    var token = after ?? Self.beginning(of: queues)
    var found: [DefaultHistoryTransaction] = []
    while let next = Self.earliest(queues), let transaction = queues[next].transactions.popFirst() {
      let store = queues[next].store
      token = token.reaching(transaction.number, in: store.identifier)
      if queues[next].gaps.contains(transaction.number) { continue }
      let made = DefaultHistoryTransaction(transaction, token, store, classes[next])
      if !made.changes.isEmpty || includesUnseen && !transaction.changes.isEmpty { found.append(made) }
    }
    return (found, token)
  }

  /// The transactions of one store that are still to be read.
  private struct Queue {
    let store: StoreBinding
    var transactions: ArraySlice<StoreTransaction>
    /// Those of them that were deleted for readers.
    let gaps: HistoryGaps
    /// The number before the oldest transaction that readers may have.
    let beginning: UInt64
  }

  /// The place before the oldest transactions that are there. Tokens of several stores are compared by all of them, so
  /// a store whose history was deleted counts with what went.
  private static func beginning(of queues: [Queue]) -> DefaultHistoryToken {
    queues.filter { $0.beginning > 0 }.reduce(DefaultHistoryToken([:])) { token, queue in
      token.reaching(queue.beginning, in: queue.store.identifier)
    }
  }

  /// The queue whose first transaction is the oldest; nil when all are empty.
  private static func earliest(_ queues: [Queue]) -> Int? {
    queues.indices.filter { !queues[$0].transactions.isEmpty }.min { left, right in
      guard let left = queues[left].transactions.first, let right = queues[right].transactions.first else {
        return false
      }
      return left.committedAt < right.committedAt
    }
  }

  private func queue(of store: StoreBinding) throws -> Queue {
    try store.store.read { snapshot in
      let found = try transactions(of: store, snapshot)
      return Queue(
        store: store, transactions: found[...], gaps: try snapshot.historyGaps,
        beginning: try snapshot.firstReadableNumber - 1)
    }
  }

  private func transactions(
    of store: StoreBinding, _ snapshot: borrowing StoreSnapshot
  ) throws -> [StoreTransaction] {
    let first = try snapshot.firstReadableNumber
    guard let number = after?.number(in: store.identifier) else { return try snapshot.history(after: first - 1) }
    guard number + 1 >= first, number <= (try snapshot.lastTransactionNumber) else {
      throw SwiftDataError(
        .historyTokenExpired,
        "the history of the store \(store.configuration.name) after this token was deleted: fetch the objects anew, "
          + "and go on from the token of the newest transaction")
    }
    return try snapshot.history(after: number)
  }
}

extension DefaultHistoryTransaction {
  /// Without a change where no class of the container changed.
  fileprivate init(
    _ transaction: StoreTransaction, _ token: DefaultHistoryToken, _ store: StoreBinding, _ classes: ChangedClasses
  ) {
    let linked = LinkedObjects(transaction.changes, classes)
    let own = transaction.changes.enumerated().compactMap {
      HistoryChange($0.element, at: $0.offset, of: transaction.number, classes, linked)
    }
    let changes = own + linked.others.map { HistoryChange($0, of: transaction.number) }
    self.init(
      author: transaction.author, bundleIdentifier: transaction.processName,
      processIdentifier: String(transaction.processIdentifier), changes: changes, storeIdentifier: store.identifier,
      timestamp: transaction.committedAt, token: token,
      transactionIdentifier: Int64(clamping: transaction.number),
      origin: ContainerTransaction.Origin(transaction, store.store),
      mergedReplica: transaction.isMerge ? transaction.dot.replica.description : nil)
  }
}
