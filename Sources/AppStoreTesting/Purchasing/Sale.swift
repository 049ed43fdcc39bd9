import AppStorePurchases
import Foundation
import RecordStore

/// Writes what a paid order brings into one commit: the transaction, the family's shares, the subscription, the news.
///
/// Only a commit uses it, with its own snapshot, so that two orders never see the same state.
struct Sale {
  let product: Product
  let storefront: Storefront
  let account: LedgerAccount
  let order: PurchaseOrder

  /// The transaction of the order; the one that exists when what is bought is owned already.
  func carryOut(
    _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit
  ) throws -> LedgerTransaction {
    if let info = product.subscription {
      return try SubscriptionSale(sale: self, info: info).carryOut(snapshot, &edit)
    }
    if product.type == .nonConsumable, let owned = try owned(snapshot) { return owned }
    let transaction = transaction(number: edit.takeTransactionNumber(), at: edit.now)
    try write(transaction, snapshot, &edit)
    return transaction.stored(in: edit.settings)
  }

  private func owned(_ snapshot: borrowing StoreSnapshot) throws -> LedgerTransaction? {
    try snapshot.list(
      LedgerTransaction.self, [LedgerCondition("account", account.name), LedgerCondition("productID", product.id)],
      by: "number", isDescending: true
    ).first { $0.revocationDate == nil }
  }

  /// A transaction that nothing but the order decides.
  func transaction(number: UInt64, at now: Date) -> LedgerTransaction {
    // `stored(in:)` gives it the id that it is written under.
    var transaction = LedgerTransaction(id: LedgerTransaction.id(number: number, resetCount: 0))
    transaction.number = number
    transaction.originalNumber = number
    transaction.account = account.name
    transaction.productID = product.id
    transaction.productType = product.type.rawValue
    transaction.quantity = order.quantity
    transaction.purchaseDate = now
    transaction.originalPurchaseDate = now
    transaction.subscriptionGroupID = product.subscription?.subscriptionGroupID
    transaction.productLevel = product.subscription?.groupLevel
    transaction.productPeriod = product.subscription?.subscriptionPeriod.name
    transaction.price = product.price * Decimal(order.quantity)
    transaction.currency = storefront.currency?.identifier ?? product.priceFormatStyle.currencyCode
    transaction.storefront = storefront.countryCode
    transaction.storefrontID = storefront.id
    transaction.appAccountToken = order.appAccountToken
    transaction.device = order.device
    return transaction
  }

  /// The transaction, its shares, and the news of both.
  func write(
    _ transaction: LedgerTransaction, _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit
  ) throws {
    let transaction = transaction.stored(in: edit.settings)
    try edit.insert(transaction)
    try edit.announce(transaction, origin: order.session)
    guard product.isFamilyShareable, let family = account.family else { return }
    for member in try snapshot.list(LedgerAccount.self, [LedgerCondition("family", family)], by: "name")
    where member.name != account.name {
      let share = transaction.share(with: member.name, number: edit.takeTransactionNumber()).stored(in: edit.settings)
      try edit.insert(share)
      try edit.announce(share)
    }
  }
}

extension Product.SubscriptionPeriod {
  /// Tells periods apart in the ledger.
  var name: String { "\(unit) \(value)" }
}

extension LedgerTransaction {
  /// The same, under the id that it has in the ledger between two resets.
  func stored(in settings: LedgerSettings) -> LedgerTransaction {
    var stored = self
    stored.id = Self.id(number: number, resetCount: settings.resetCount)
    return stored
  }

  /// The share of it that another member of the family gets.
  func share(with member: String, number: UInt64) -> LedgerTransaction {
    var share = self
    share.number = number
    share.originalNumber = number
    share.account = member
    share.ownership = .familyShared
    share.sharedFromNumber = self.number
    share.appAccountToken = nil
    share.device = nil
    share.isFinished = false
    (share.finishedDate, share.finishCount) = (nil, 0)
    return share
  }
}
