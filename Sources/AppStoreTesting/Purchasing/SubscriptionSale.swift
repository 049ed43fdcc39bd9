import AppStorePurchases
import Foundation
import RecordStore

/// The sale of a subscription: a new one, one that is there already, or a change of service within the group.
struct SubscriptionSale {
  let sale: Sale
  let info: Product.SubscriptionInfo

  /// The newest transaction of the subscription afterwards.
  func carryOut(
    _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit
  ) throws -> LedgerTransaction {
    let id = LedgerSubscription.id(
      account: sale.account.name, groupID: info.subscriptionGroupID, resetCount: edit.settings.resetCount)
    guard let subscription = try snapshot.find(LedgerSubscription.self, id) else {
      var new = LedgerSubscription(id: id)
      new.account = sale.account.name
      new.groupID = info.subscriptionGroupID
      let transaction = try begin(&new, original: nil, snapshot, &edit)
      try edit.insert(new)
      return transaction
    }
    let current = try snapshot.transaction(subscription.currentNumber, edit.settings)
    return try change(subscription, current, snapshot, &edit)
  }

  private func change(
    _ subscription: LedgerSubscription, _ current: LedgerTransaction, _ snapshot: borrowing StoreSnapshot,
    _ edit: inout LedgerEdit
  ) throws -> LedgerTransaction {
    var subscription = subscription
    var result = current
    if !subscription.isServed {
      let original = try snapshot.transaction(subscription.originalNumber, edit.settings)
      result = try begin(&subscription, original: original, snapshot, &edit)
    } else if subscription.productID == sale.product.id {
      // Subscribed already: the person only turns the renewal on again.
      subscription.willRenew = true
      subscription.renewalProductID = sale.product.id
    } else if isHigher(than: current) || isLike(current) {
      if isHigher(than: current) {
        var upgraded = current
        upgraded.isUpgraded = true
        try edit.update(upgraded)
        try edit.announce(upgraded)
      }
      let original = try snapshot.transaction(subscription.originalNumber, edit.settings)
      result = try begin(&subscription, original: original, snapshot, &edit)
    } else {
      // A lower service, or one with other periods, takes its turn when the paid period ends.
      subscription.willRenew = true
      subscription.renewalProductID = sale.product.id
    }
    try edit.update(subscription)
    try edit.announceSubscription(subscription)
    return result
  }

  private func isHigher(than current: LedgerTransaction) -> Bool {
    current.productLevel.map { info.groupLevel < $0 } ?? true
  }

  /// Whether a transaction is of the same rank, charged as often.
  private func isLike(_ current: LedgerTransaction) -> Bool {
    current.productLevel == info.groupLevel && current.productPeriod == info.subscriptionPeriod.name
  }

  /// Starts to pay now.
  private func begin(
    _ subscription: inout LedgerSubscription, original: LedgerTransaction?, _ snapshot: borrowing StoreSnapshot,
    _ edit: inout LedgerEdit
  ) throws -> LedgerTransaction {
    let periods = PeriodLength(millisecondsPerMonth: edit.settings.millisecondsPerMonth)
    let offer = offer(for: subscription)
    var transaction = sale.transaction(number: edit.takeTransactionNumber(), at: edit.now)
    if let original {
      transaction.originalNumber = original.number
      transaction.originalPurchaseDate = original.originalPurchaseDate
    }
    let first = offer?.firstPeriod ?? (info.subscriptionPeriod, 1)
    let end = periods.end(of: first.0, count: first.1, from: edit.now)
    transaction.expirationDate = end
    transaction.take(offer)
    subscription.start(transaction, end: end, offer: offer)
    // After an offer with periods of its own, the usual ones count from its end.
    if let offer, subscription.offerPeriodsLeft == 0, first.1 > 1 || offer.period != info.subscriptionPeriod {
      subscription.anchorDate = end
    }
    try sale.write(transaction, snapshot, &edit)
    if original == nil { try edit.announceSubscription(subscription) }
    return transaction.stored(in: edit.settings)
  }

  /// The offer that the person buys with: the one asked for, else the introductory one if the person never had one.
  private func offer(for subscription: LedgerSubscription) -> Product.SubscriptionOffer? {
    switch sale.order.offer {
    case .promotional(let id, _): info.offer(Product.SubscriptionOffer.OfferType.promotional.rawValue, id)
    case .introductory: info.introductoryOffer
    case nil: subscription.hasUsedIntroductoryOffer ? nil : info.introductoryOffer
    }
  }
}

extension LedgerSubscription {
  /// Whether the person may use it, paid or in grace.
  var isServed: Bool { state == .subscribed || state == .inGracePeriod }

  fileprivate mutating func start(
    _ transaction: LedgerTransaction, end: Date, offer: Product.SubscriptionOffer?
  ) {
    state = .subscribed
    originalNumber = transaction.originalNumber
    currentNumber = transaction.number
    productID = transaction.productID
    renewalProductID = transaction.productID
    willRenew = true
    expirationDate = end
    (graceEnd, billingRetryEnd, expirationReason) = (nil, nil, nil)
    startDate = transaction.purchaseDate
    anchorDate = transaction.purchaseDate
    renewalCount = 0
    if offer?.type == .introductory { hasUsedIntroductoryOffer = true }
    offerType = offer?.type.rawValue
    offerID = offer?.id
    offerPeriodsLeft = offer?.paymentMode == .payAsYouGo ? (offer?.periodCount ?? 1) - 1 : 0
  }
}

extension LedgerTransaction {
  /// Pays an offer's price instead of the usual one.
  mutating func take(_ offer: Product.SubscriptionOffer?) {
    guard let offer else { return }
    price = offer.price
    offerType = offer.type.rawValue
    offerID = offer.id
    offerPaymentMode = offer.paymentMode.rawValue
  }
}

extension Product.SubscriptionOffer {
  /// The time that the first charge pays for: one period, or all of them at once.
  fileprivate var firstPeriod: (Product.SubscriptionPeriod, Int) {
    (period, paymentMode == .payAsYouGo ? 1 : periodCount)
  }
}
