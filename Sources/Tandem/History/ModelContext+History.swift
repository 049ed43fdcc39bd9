import RecordStore

extension ModelContext {
  /// Transactions of the container's stores, the oldest first unless the descriptor sorts.
  ///
  /// ```swift
  /// var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
  /// if let last { descriptor.predicate = #Predicate { $0.token > last && $0.author != "import" } }
  /// let news = try context.fetchHistory(descriptor)
  /// ```
  /// A predicate that asks for a greater token reads from there on; any other reads the whole history and weighs each
  /// transaction. Unsaved changes are not in it. Transactions in which no class of the container changed are left out.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` when history does not reach back to the token: it was deleted,
  ///   trimmed by a synchronisation, or the store was erased. Fetch the objects anew then.
  ///   `SwiftDataError.invalidTransactionFetchRequest` for transactions that no store of the container has.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    try throwNoted()
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      let found = try core.stores.compactMap { try $0.foreign?.history(descriptor) }
      if found.isEmpty { throw Self.foreignHistory(T.self) }
      return found.flatMap { $0 }
    }
    // The same type, as the descriptor's was.
    return try core.history(own).compactMap { $0 as? T }
  }

  /// Deletes transactions from the history, the oldest first, as long as the descriptor accepts them and its
  /// limit allows.
  ///
  /// History has no gaps: a transaction behind one that stays, stays too, whatever the predicate says of it.
  /// `sortBy` has no meaning here. Whoever holds a token of the deleted part gets
  /// `SwiftDataError.historyTokenExpired`. The space is given back by the next synchronisation after which
  /// no device needs the entries; until then values in tombstones remain in the file.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    try throwNoted()
    guard let own = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      let found = try core.stores.filter { try $0.foreign?.deleteHistory(descriptor) ?? false }
      if found.isEmpty { throw Self.foreignHistory(T.self) }
      return
    }
    try core.deleteHistory(own)
  }

  private static func foreignHistory(_ type: any HistoryTransaction.Type) -> SwiftDataError {
    SwiftDataError(
      .invalidTransactionFetchRequest,
      "no store of the container has transactions of type \(type); ask for DefaultHistoryTransaction")
  }
}

extension ContainerCore {
  /// The stores of this library; others have histories of their own.
  var ownStores: [StoreBinding] { stores.filter { $0.foreign == nil } }

  func history(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction] {
    let reader = HistoryReader(self, after: HistoryFloor(descriptor.predicate).after)
    return descriptor.window(try reader.transactions().filter { descriptor.accepts($0) })
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    var last: [String: UInt64] = [:]
    var ended: Set<String> = []
    var rest = descriptor.fetchLimit == 0 ? UInt64.max : descriptor.fetchLimit
    for transaction in try HistoryReader(self, after: nil).transactions() {
      if ended.contains(transaction.storeIdentifier) { continue }
      if rest > 0, descriptor.accepts(transaction) {
        last[transaction.storeIdentifier] = UInt64(clamping: transaction.transactionIdentifier)
        rest -= 1
      } else {
        ended.insert(transaction.storeIdentifier)
      }
    }
    for store in ownStores {
      guard let number = last[store.identifier] else { continue }
      _ = try store.store.commit { snapshot in
        (SaveRequest(changes: [], attachments: [.historyFloor(max(number, try snapshot.historyFloor))]), ())
      }
    }
  }
}
