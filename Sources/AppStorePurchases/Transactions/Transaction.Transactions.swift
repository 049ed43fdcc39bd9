extension Transaction {
  /// A sequence of transactions of one store.
  ///
  /// A loop over it does not throw, as in StoreKit: it ends early when the store cannot be read, and at once when no
  /// client is connected. Where the difference between "none" and "not readable" matters, loop over ``checked``.
  public struct Transactions: AsyncSequence, Sendable {
    /// A transaction, verified or not.
    public typealias Element = VerificationResult<Transaction>
    /// A loop over the sequence does not throw; see ``checked``.
    public typealias Failure = Never

    package enum Source: Sendable {
      case transactions(TransactionScope)
      case updates
    }

    private let source: Source
    private let client: (any StoreClient)?

    package init(_ source: Source, _ client: (any StoreClient)?) {
      self.source = source
      self.client = client
    }

    /// Starts a reading of its own: each iterator asks the client anew.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base: stream().makeAsyncIterator(), client: client)
    }

    /// The same elements, and the error that ends them early: ``StoreKitError`` or the client's own.
    public var checked: some AsyncSequence<VerificationResult<Transaction>, any Error> & Sendable {
      let client = client
      return stream().map { client.map($0.from) ?? $0 }
    }

    private func stream() -> TransactionStream {
      guard let client else {
        return TransactionStream { throw StoreKitError.systemError(StoreConnectionError.notConnected) }
      }
      return switch source {
      case .transactions(let scope): client.transactions(scope)
      case .updates: client.transactionUpdates()
      }
    }

    /// The iterator of ``Transactions``.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var base: TransactionStream.AsyncIterator
      let client: (any StoreClient)?
      var isOver = false

      /// Waits for the next transaction; nil at the end, and for ever after the client's first error.
      public mutating func next() async -> VerificationResult<Transaction>? {
        guard !isOver else { return nil }
        let found = try? await base.next()
        isOver = found == nil
        return client.flatMap { found?.from($0) } ?? found
      }
    }
  }
}
