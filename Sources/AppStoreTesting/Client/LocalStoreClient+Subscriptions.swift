public import AppStorePurchases
import Foundation
import RecordStore

extension LocalStoreClient {
  /// The account's own subscription of the group, then those that its family shares with it.
  ///
  /// - Throws: `StoreKitError`, and the fault that a tester asked for.
  public func subscriptionStatuses(groupID: String) async throws -> [Product.SubscriptionInfo.Status] {
    let session = session
    return try await session.answering {
      try await session.failIfTold(.subscriptionStatus)
      try await session.settle()
      var statuses: [Product.SubscriptionInfo.Status] = []
      for found in try await session.subscriptions(ofGroup: groupID) {
        statuses.append(try await session.status(found))
      }
      return statuses
    }
  }

  /// Whether the account's own subscription of the group never used an introductory offer; true without one.
  /// - Throws: `StoreKitError`, and the fault that a tester asked for.
  public func isEligibleForIntroductoryOffer(groupID: String) async throws -> Bool {
    let session = session
    return try await session.answering {
      try await session.failIfTold(.introductoryOfferEligibility)
      let own = try await session.subscriptions(ofGroup: groupID).first { $0.transaction.ownership == .purchased }
      return !(own?.subscription.hasUsedIntroductoryOffer ?? false)
    }
  }
}

/// A subscription with the transaction by which this account has it, and what renews it.
struct SubscriptionStanding: Sendable {
  let subscription: LedgerSubscription
  let transaction: LedgerTransaction
  let renewalPrice: Decimal?
  let currency: String?
}

extension Session {
  func ownStatus(ofGroup groupID: String) async throws -> Product.SubscriptionInfo.Status? {
    guard let own = try await subscriptions(ofGroup: groupID).first(where: { $0.subscription.account == account })
    else {
      return nil
    }
    return try await status(own)
  }

  func status(_ standing: SubscriptionStanding) async throws -> Product.SubscriptionInfo.Status {
    let state = try await tokenState()
    let payload = RenewalPayload(
      standing.subscription, price: standing.renewalPrice, currency: standing.currency, state)
    return Product.SubscriptionInfo.Status(
      state: standing.subscription.state.renewalState,
      transaction: try await desk.result(for: standing.transaction, state),
      renewalInfo: try await desk.renewalResult(for: payload, state))
  }

  func subscriptions(ofGroup groupID: String) async throws -> [SubscriptionStanding] {
    let (account, assortments) = (account, assortments)
    return try await ledger.readNow { snapshot, settings, _ in
      guard settings.productRevision > 0 else { return [] }
      let assortment = try assortments.assortment(snapshot, settings)
      let person = try snapshot.account(account)
      let relatives = try person.family.map {
        try snapshot.list(LedgerAccount.self, [LedgerCondition("family", $0)], by: "name").filter { $0.name != account }
      }
      var standings: [SubscriptionStanding] = []
      for member in [person] + (relatives ?? []) {
        let id = LedgerSubscription.id(
          account: member.name, groupID: groupID, resetCount: settings.resetCount)
        guard let subscription = try snapshot.find(LedgerSubscription.self, id),
          let transaction = try snapshot.standing(subscription, for: account, settings)
        else { continue }
        let next = assortment.product(subscription.renewalProductID, in: member.storefront)
        standings.append(
          SubscriptionStanding(
            subscription: subscription, transaction: transaction, renewalPrice: next?.price,
            currency: next?.priceFormatStyle.currencyCode))
      }
      return standings
    }
  }
}

extension StoreSnapshot {
  /// The transaction by which an account has a subscription: its own, or its share; nil if it has none.
  fileprivate func standing(
    _ subscription: LedgerSubscription, for account: String, _ settings: LedgerSettings
  ) throws -> LedgerTransaction? {
    if subscription.account == account { return try transaction(subscription.currentNumber, settings) }
    return try list(
      LedgerTransaction.self,
      [LedgerCondition("sharedFromNumber", Optional(subscription.currentNumber)), LedgerCondition("account", account)]
    ).first
  }
}

extension LedgerSubscription.State {
  var renewalState: Product.SubscriptionInfo.RenewalState {
    switch self {
    case .subscribed: .subscribed
    case .expired: .expired
    case .inBillingRetry: .inBillingRetryPeriod
    case .inGracePeriod: .inGracePeriod
    case .revoked: .revoked
    }
  }
}
