extension Product.SubscriptionInfo {
  /// One subscription as it stands: its state, its newest transaction, and what comes next.
  ///
  /// ```swift
  /// func line(_ status: Product.SubscriptionInfo.Status) throws -> String {
  ///   let renewal: Product.SubscriptionInfo.RenewalInfo = try status.renewalInfo.payloadValue
  ///   switch status.state {
  ///   case .subscribed where renewal.priceIncreaseStatus == .pending: return "agree to the new price"
  ///   case .subscribed, .inGracePeriod: return renewal.willAutoRenew ? "goes on" : "ends with this period"
  ///   case .expired where renewal.expirationReason == .billingError: return "the card was refused"
  ///   default: return "over"
  ///   }
  /// }
  /// ```
  public struct Status: Sendable {
    /// The state of the subscription.
    public let state: RenewalState
    /// The newest transaction of the subscription.
    public let transaction: VerificationResult<Transaction>
    /// The store's plan for the end of the period.
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
    ///
    /// ```swift
    /// for await status in Product.SubscriptionInfo.Status.updates {
    ///   show(status.state)
    ///   break
    /// }
    /// ```
    public struct Statuses: AsyncSequence, Sendable {
      /// A status.
      public typealias Element = Status
      /// The sequence does not throw.
      public typealias Failure = Never

      let client: (any StoreClient)?

      /// Starts to listen: changes from this moment on are delivered.
      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: client?.subscriptionStatusUpdates().makeAsyncIterator())
      }

      /// The iterator of ``Statuses``.
      public struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncStream<Status>.AsyncIterator?

        /// Waits for the next change; nil when no client is connected, or its sequence has ended.
        public mutating func next() async -> Status? { await base?.next() }
      }
    }
  }
}
