import AppStorePurchases
import Foundation
import RecordStore

/// Charges what has fallen due since anybody looked: renewals, failed payments, ends. The first look does it, in
/// one commit, and every process finds the same result.
struct AccountSettlement {
  let assortment: Assortment
  let account: LedgerAccount

  /// Whether a commit would change something.
  func isDue(_ snapshot: borrowing StoreSnapshot, _ settings: LedgerSettings, _ now: Date) throws -> Bool {
    try nextDate(snapshot, settings).map { $0 <= now } ?? false
  }

  /// When the account's next charge or end is due.
  func nextDate(_ snapshot: borrowing StoreSnapshot, _ settings: LedgerSettings) throws -> Date? {
    let course = course(settings)
    return try subscriptions(snapshot, settings).compactMap { course.nextDate(of: $0) }.min()
  }

  func settle(_ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit) throws {
    let course = course(edit.settings)
    for subscription in try subscriptions(snapshot, edit.settings) where course.isDue(subscription, at: edit.now) {
      let before = try snapshot.transaction(subscription.currentNumber, edit.settings)
      var subscription = subscription
      for charge in course.advance(&subscription, to: edit.now) {
        subscription.currentNumber = try write(charge, after: before, snapshot, &edit)
      }
      try edit.update(subscription)
      try edit.announceSubscription(subscription)
    }
  }

  private func write(
    _ charge: SubscriptionCourse.Charge, after before: LedgerTransaction, _ snapshot: borrowing StoreSnapshot,
    _ edit: inout LedgerEdit
  ) throws -> UInt64 {
    guard let product = assortment.product(charge.productID, in: account.storefront) else {
      preconditionFailure("the course charges only for products that are sold")
    }
    let order = PurchaseOrder(
      productID: charge.productID, quantity: 1, appAccountToken: before.appAccountToken, simulatesAskToBuy: false,
      offer: nil, currency: nil, account: account.name, device: "", session: nil)
    let sale = Sale(
      product: product, storefront: assortment.storefront(account.storefront), account: account, order: order)
    var transaction = sale.transaction(number: edit.takeTransactionNumber(), at: charge.start)
    transaction.originalNumber = before.originalNumber
    transaction.originalPurchaseDate = before.originalPurchaseDate
    transaction.reason = .renewal
    transaction.device = nil
    transaction.expirationDate = charge.end
    transaction.price = charge.price
    transaction.take(charge.offer)
    try sale.write(transaction, snapshot, &edit)
    return transaction.number
  }

  private func subscriptions(
    _ snapshot: borrowing StoreSnapshot, _ settings: LedgerSettings
  ) throws -> [LedgerSubscription] {
    try snapshot.list(LedgerSubscription.self, [LedgerCondition("account", account.name)], by: "groupID")
  }

  private func course(_ settings: LedgerSettings) -> SubscriptionCourse {
    SubscriptionCourse(
      periods: PeriodLength(millisecondsPerMonth: settings.millisecondsPerMonth),
      gracePeriodDays: settings.gracePeriodDays, maximumRenewals: settings.maximumRenewals,
      canBeCharged: !account.failsRenewals,
      product: { assortment.product($0, in: account.storefront) })
  }
}
