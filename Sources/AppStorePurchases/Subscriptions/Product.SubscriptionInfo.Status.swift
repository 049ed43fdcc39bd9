extension Product.SubscriptionInfo {
  /// One subscription as it stands: its state, its newest transaction, and what comes next.
  public struct Status: Sendable {
    public let state: RenewalState
    public let transaction: VerificationResult<Transaction>
    public let renewalInfo: VerificationResult<RenewalInfo>

    /// For clients.
    public init(
      state: RenewalState, transaction: VerificationResult<Transaction>, renewalInfo: VerificationResult<RenewalInfo>
    ) {
      self.state = state
      self.transaction = transaction
      self.renewalInfo = renewalInfo
    }

    /// Each status that changes from now on.
    public static var updates: Statuses { Statuses(client: try? AppStore.client) }

    /// An endless sequence of statuses; empty when no client is connected.
    public struct Statuses: AsyncSequence, Sendable {
      public typealias Element = Status
      public typealias Failure = Never

      let client: (any StoreClient)?

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: client?.subscriptionStatusUpdates().makeAsyncIterator())
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<Status>.AsyncIterator?

        public mutating func next() async -> Status? { await base?.next() }
      }
    }
  }
}
