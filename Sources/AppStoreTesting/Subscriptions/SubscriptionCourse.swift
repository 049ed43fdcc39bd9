import AppStorePurchases
import Foundation

/// The course of a subscription as time passes: a pure function from the subscription, the products and the time
/// to its next state and the charges on the way.
///
/// ```
/// subscribed ──end of period, paid──▸ subscribed (a renewal)
///     │ not paid                          ▲ paid at last
///     ├──▸ inGracePeriod ──grace over──▸ inBillingRetry ──60 days──▸ expired
///     └──renewal turned off──▸ expired
/// ```
struct SubscriptionCourse {
  /// How long the store tries to charge.
  static let billingRetryDays = 60
  /// The most steps that one commit takes; the next commit goes on.
  static let maximumSteps = 200

  /// A charge: the transaction to be written.
  struct Charge: Hashable {
    var productID: String
    var start: Date
    var end: Date
    /// For the period, in the storefront's currency.
    var price: Decimal
    var offer: Product.SubscriptionOffer?
  }

  let periods: PeriodLength
  let gracePeriodDays: Int
  /// How many renewals a subscription has before it ends; nil: no limit.
  let maximumRenewals: Int?
  let canBeCharged: Bool
  /// The product as the account would buy it now; nil when it is not sold.
  let product: (String) -> Product?

  /// Whether ``advance(_:to:)`` would change something.
  func isDue(_ subscription: LedgerSubscription, at now: Date) -> Bool {
    nextDate(of: subscription).map { $0 <= now } ?? false
  }

  /// When something happens next by itself; nil for never.
  func nextDate(of subscription: LedgerSubscription) -> Date? {
    switch subscription.state {
    case .subscribed: subscription.expirationDate
    case .inGracePeriod: canBeCharged ? subscription.expirationDate : subscription.graceEnd
    case .inBillingRetry: canBeCharged ? subscription.expirationDate : subscription.billingRetryEnd
    case .expired, .revoked: nil
    }
  }

  /// Takes the subscription to `now` and returns the charges made, in order.
  func advance(_ subscription: inout LedgerSubscription, to now: Date) -> [Charge] {
    var charges: [Charge] = []
    for _ in 0..<Self.maximumSteps where isDue(subscription, at: now) {
      if let charge = step(&subscription, now) { charges.append(charge) }
    }
    return charges
  }

  private func step(_ subscription: inout LedgerSubscription, _ now: Date) -> Charge? {
    switch subscription.state {
    case .subscribed:
      guard subscription.willRenew, mayRenewAgain(subscription) else {
        expire(&subscription, reason: .autoRenewDisabled)
        return nil
      }
      guard canBeCharged else {
        beginRetry(&subscription)
        return nil
      }
      return renew(&subscription, from: subscription.expirationDate)
    case .inGracePeriod, .inBillingRetry:
      if canBeCharged {
        // Days that were served are paid; days that were not are not.
        let start = subscription.state == .inGracePeriod ? subscription.expirationDate : now
        return renew(&subscription, from: start)
      }
      if subscription.state == .inGracePeriod {
        subscription.state = .inBillingRetry
        subscription.graceEnd = nil
      } else {
        expire(&subscription, reason: .billingError)
      }
      return nil
    case .expired, .revoked:
      return nil
    }
  }

  private func mayRenewAgain(_ subscription: LedgerSubscription) -> Bool {
    maximumRenewals.map { subscription.renewalCount < $0 } ?? true
  }

  private func expire(
    _ subscription: inout LedgerSubscription, reason: Product.SubscriptionInfo.RenewalInfo.ExpirationReason
  ) {
    subscription.state = .expired
    subscription.expirationReason = reason.rawValue
    subscription.willRenew = false
    (subscription.graceEnd, subscription.billingRetryEnd) = (nil, nil)
  }

  private func beginRetry(_ subscription: inout LedgerSubscription) {
    let end = subscription.expirationDate
    subscription.state = gracePeriodDays > 0 ? .inGracePeriod : .inBillingRetry
    subscription.graceEnd = gracePeriodDays > 0 ? periods.end(ofDays: gracePeriodDays, from: end) : nil
    subscription.billingRetryEnd = periods.end(ofDays: Self.billingRetryDays, from: end)
  }

  private func renew(_ subscription: inout LedgerSubscription, from start: Date) -> Charge? {
    guard let product = product(subscription.renewalProductID), let info = product.subscription else {
      expire(&subscription, reason: .productUnavailable)
      return nil
    }
    // Another service, or a gap in the service, begins a new count of days.
    if subscription.productID != product.id || start != subscription.expirationDate {
      subscription.anchorDate = start
    }
    var charge = Charge(
      productID: product.id, start: start,
      end: periods.end(after: start, of: info.subscriptionPeriod, from: subscription.anchorDate),
      price: product.price)
    continueOffer(&subscription, info, &charge)
    subscription.state = .subscribed
    subscription.productID = product.id
    subscription.expirationDate = charge.end
    subscription.renewalCount += 1
    (subscription.graceEnd, subscription.billingRetryEnd) = (nil, nil)
    return charge
  }

  /// The periods that an offer with several charges still has.
  private func continueOffer(
    _ subscription: inout LedgerSubscription, _ info: Product.SubscriptionInfo, _ charge: inout Charge
  ) {
    guard subscription.offerPeriodsLeft > 0, let offer = info.offer(subscription.offerType, subscription.offerID) else {
      subscription.offerPeriodsLeft = 0
      return
    }
    subscription.offerPeriodsLeft -= 1
    charge.price = offer.price
    charge.offer = offer
    charge.end = periods.end(after: charge.start, of: offer.period, from: subscription.anchorDate)
    if subscription.offerPeriodsLeft == 0, offer.period != info.subscriptionPeriod {
      subscription.anchorDate = charge.end
    }
  }
}

extension Product.SubscriptionInfo {
  /// The offer of a kind, and for all but introductory ones of an identifier.
  func offer(_ type: Int?, _ id: String?) -> Product.SubscriptionOffer? {
    ([introductoryOffer].compactMap { $0 } + promotionalOffers + winBackOffers).first {
      $0.type.rawValue == type && ($0.type == .introductory || $0.id == id)
    }
  }
}
