import Foundation
import RecordStore

extension LocalAppStore {
  /// Sets how fast subscriptions run.
  ///
  /// - Parameters:
  ///   - month: How long a month lasts, other periods in proportion (a year is 12 months, a week 7/30); nil: as in
  ///     the calendar.
  ///   - maximumRenewals: After how many renewals a subscription ends by itself; nil: never. A limit keeps an App
  ///     Store that is looked at again next week from catching up on half a million renewals.
  ///
  /// - Throws: ``AppStoreTestingError`` `invalidRequest` for a month below 30 milliseconds, or a negative number of
  ///   renewals.
  public func setSubscriptionRate(monthLasts month: Duration?, maximumRenewals: Int? = 12) async throws {
    guard month ?? .seconds(1) >= .milliseconds(30), maximumRenewals ?? 0 >= 0 else {
      throw AppStoreTestingError(.invalidRequest, "a month lasts at least 30 milliseconds: pass a longer time")
    }
    try await ledger.commit { _, edit in
      edit.settings.millisecondsPerMonth = month?.wholeMilliseconds
      edit.settings.maximumRenewals = month == nil ? nil : maximumRenewals
    }
  }

  /// How many days a subscription is served after its renewal could not be paid; 0: none.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func setBillingGracePeriod(days: Int) async throws {
    try await ledger.commit { _, edit in edit.settings.gracePeriodDays = max(days, 0) }
  }

  /// Lets renewals of an account fail, as a card does that has expired: subscriptions go into the grace period if there
  /// is one, then into billing retry, and expire after 60 days. Turned off again, what is due is charged at once.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`.
  public func setFailsRenewals(_ failsRenewals: Bool, for account: String) async throws {
    // The old state still decides charges that were due before.
    try await settleAll()
    try await change(account) { account, _ in account.failsRenewals = failsRenewals }
    try await settleAll()
  }

  /// Turns the renewal of an account's subscription on or off, as the person does in the system's settings.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownSubscription`.
  public func setAutoRenew(_ willRenew: Bool, for account: String, groupID: String) async throws {
    try await changeSubscription(account, groupID) { subscription, _ in subscription.willRenew = willRenew }
  }

  /// Ends an account's subscription now, whatever is paid.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownSubscription`.
  public func expireSubscription(for account: String, groupID: String) async throws {
    try await ledger.commitSettled(account, assortments) { snapshot, edit in
      var subscription = try snapshot.subscription(account, groupID, edit.settings)
      var transaction = try snapshot.transaction(subscription.currentNumber, edit.settings)
      subscription.end(at: edit.now)
      transaction.expirationDate = edit.now
      try edit.update(subscription)
      try edit.update(transaction)
      try edit.announce(transaction)
      try edit.announceSubscription(subscription)
    }
  }

  private func changeSubscription(
    _ account: String, _ groupID: String,
    _ change: @escaping @Sendable (inout LedgerSubscription, Date) -> Void
  ) async throws {
    try await ledger.commitSettled(account, assortments) { snapshot, edit in
      var subscription = try snapshot.subscription(account, groupID, edit.settings)
      change(&subscription, edit.now)
      try edit.update(subscription)
      try edit.announceSubscription(subscription)
    }
  }
}

extension StoreSnapshot {
  fileprivate func subscription(
    _ account: String, _ groupID: String, _ settings: LedgerSettings
  ) throws -> LedgerSubscription {
    let id = LedgerSubscription.id(account: account, groupID: groupID, resetCount: settings.resetCount)
    guard let subscription = try find(LedgerSubscription.self, id) else {
      throw AppStoreTestingError(
        .unknownSubscription, "the account never had a subscription of this group: buy one first")
    }
    return subscription
  }
}

extension LedgerSubscription {
  fileprivate mutating func end(at now: Date) {
    state = .expired
    willRenew = false
    expirationDate = now
    expirationReason = 1
    (graceEnd, billingRetryEnd) = (nil, nil)
  }
}
