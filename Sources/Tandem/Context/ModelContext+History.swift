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

  /// Deletes the transactions of the history that the descriptor accepts, the oldest first, as far as its limit
  /// allows. Others stay, such as those of other authors.
  ///
  /// `sortBy` has no meaning here. Where the oldest transactions go, a reader with a token from before the last of
  /// them gets `SwiftDataError.historyTokenExpired`. One that goes from behind a transaction that stays is left out
  /// from then on, and tokens stay good. The space is given back by the next synchronisation after which no device
  /// needs the entries; until then values in tombstones remain in the file.
  ///
  /// - Throws: `SwiftDataError`: `invalidTransactionFetchRequest` where no store has transactions of the type, and what
  ///   the commit throws; nothing is deleted then.
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
    var cuts: [String: HistoryCut] = [:]
    var rest = descriptor.fetchLimit == 0 ? UInt64.max : descriptor.fetchLimit
    // Others may show what this container does not: it stays, unless the descriptor means it.
    for transaction in try HistoryReader(self, after: nil).transactions(includesUnseen: true) {
      let isDeleted = rest > 0 && descriptor.accepts(transaction)
      if isDeleted, !transaction.changes.isEmpty { rest -= 1 }
      cuts[transaction.storeIdentifier, default: HistoryCut()]
        .add(UInt64(clamping: transaction.transactionIdentifier), isDeleted: isDeleted)
    }
    for store in ownStores {
      guard let cut = cuts[store.identifier], !cut.isEmpty else { continue }
      _ = try store.store.commit { snapshot in
        (SaveRequest(changes: [], attachments: try cut.attachments(snapshot)), ())
      }
    }
  }
}
