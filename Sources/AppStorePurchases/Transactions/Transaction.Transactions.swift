extension Transaction {
  /// A sequence of transactions of one store.
  ///
  /// A loop over it does not throw, as in StoreKit: it ends early when the store cannot be read, and at once when no
  /// client is connected. Where the difference between "none" and "not readable" matters, loop over ``checked``.
  public struct Transactions: AsyncSequence, Sendable {
    public typealias Element = VerificationResult<Transaction>
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

    public struct AsyncIterator: AsyncIteratorProtocol {
      var base: TransactionStream.AsyncIterator
      let client: (any StoreClient)?
      var isOver = false

      public mutating func next() async -> VerificationResult<Transaction>? {
        guard !isOver else { return nil }
        let found = try? await base.next()
        isOver = found == nil
        return client.flatMap { found?.from($0) } ?? found
      }
    }
  }
}
