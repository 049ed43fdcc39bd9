public import AppStorePurchases
import StoreKit

/// StoreKit's sequences, element for element.
extension AppleStoreClient {
  /// StoreKit's sequence of the scope, each element verified once more, on all processors.
  public func transactions(_ scope: TransactionScope) -> TransactionStream {
    switch scope {
    case .all: stream(of: StoreKit.Transaction.all)
    case .unfinished: stream(of: StoreKit.Transaction.unfinished, remembers: true)
    case .currentEntitlements: stream(of: StoreKit.Transaction.currentEntitlements)
    case .currentEntitlement(let productID): stream(of: StoreKit.Transaction.currentEntitlements, only: productID)
    case .history(let productID): stream(of: StoreKit.Transaction.all, only: productID)
    }
  }

  /// StoreKit's updates, each element verified once more as it comes.
  public func transactionUpdates() -> TransactionStream {
    stream { continuation in
      for await element in StoreKit.Transaction.updates {
        continuation.yield(try await verified(element.jwsRepresentation))
      }
    }
  }

  /// StoreKit's list in its order, verified some hundred at a time.
  private func stream(
    of transactions: StoreKit.Transaction.Transactions, only productID: String? = nil, remembers: Bool = false
  ) -> TransactionStream {
    stream { continuation in
      var texts: [String] = []
      for await element in transactions where productID.map({ $0 == element.unsafePayloadValue.productID }) ?? true {
        if remembers { unfinished.remember(element.unsafePayloadValue) }
        texts.append(element.jwsRepresentation)
        guard texts.count == 256 else { continue }
        try await handOut(texts, continuation)
        texts = []
      }
      try await handOut(texts, continuation)
    }
  }

  private func handOut(_ texts: [String], _ continuation: TransactionStream.Continuation) async throws {
    do {
      for result in try await verifier.results(for: texts, now: Date()) { continuation.yield(result) }
    } catch is VerificationFailure {
      // Those before the one at fault are handed out.
      for text in texts { continuation.yield(try await verified(text)) }
    }
  }

  /// A text so broken that no transaction can be read from it ends the stream with the verifier's error.
  private func stream(
    _ work: @escaping @Sendable (TransactionStream.Continuation) async throws -> Void
  ) -> TransactionStream {
    TransactionStream { continuation in
      let task = Task {
        do {
          try await work(continuation)
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The account's storefront; nil where StoreKit knows none.
  public func currentStorefront() async throws -> AppStorePurchases.Storefront? {
    await StoreKit.Storefront.current?.translated
  }

  /// The storefront each time that StoreKit tells of a change.
  public func storefrontUpdates() -> AsyncStream<AppStorePurchases.Storefront> {
    AsyncStream { continuation in
      let task = Task {
        for await storefront in StoreKit.Storefront.updates { continuation.yield(storefront.translated) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}

/// Subscriptions.
extension AppleStoreClient {
  /// The statuses of a group, with their texts verified once more.
  /// - Throws: `StoreKitError`, and `VerificationFailure` for a text that is no token at all.
  public func subscriptionStatuses(
    groupID: String
  ) async throws -> [AppStorePurchases.Product.SubscriptionInfo.Status] {
    try await translating {
      var statuses: [AppStorePurchases.Product.SubscriptionInfo.Status] = []
      for status in try await StoreKit.Product.SubscriptionInfo.status(for: groupID) {
        statuses.append(try await translated(status))
      }
      return statuses
    }
  }

  /// A status whose texts cannot be read is left out: the next change brings another.
  public func subscriptionStatusUpdates() -> AsyncStream<AppStorePurchases.Product.SubscriptionInfo.Status> {
    AsyncStream { continuation in
      let task = Task {
        for await status in StoreKit.Product.SubscriptionInfo.Status.updates {
          do {
            continuation.yield(try await translated(status))
          } catch {
            continue
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Whether the account may use an introductory offer of the group, as StoreKit answers.
  public func isEligibleForIntroductoryOffer(groupID: String) async throws -> Bool {
    await StoreKit.Product.SubscriptionInfo.isEligibleForIntroOffer(for: groupID)
  }

  private func translated(
    _ status: StoreKit.Product.SubscriptionInfo.Status
  ) async throws -> AppStorePurchases.Product.SubscriptionInfo.Status {
    AppStorePurchases.Product.SubscriptionInfo.Status(
      state: .init(rawValue: status.state.rawValue),
      transaction: try await verified(status.transaction.jwsRepresentation),
      renewalInfo: try await verifiedRenewal(status.renewalInfo.jwsRepresentation))
  }
}
