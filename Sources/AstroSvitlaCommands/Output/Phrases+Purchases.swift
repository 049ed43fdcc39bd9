import AstroSvitla
import Foundation
import LocalizedTexts

/// What is said of purchases and of credits.
extension Phrases {
  func bought(_ credits: Int, _ price: String, _ transaction: UInt64) -> String {
    say(.bought, self.credits(credits), price, "\(transaction)")
  }
  var notTold: String { say(.notTold) }
  func recovered(_ credits: Int) -> String { say(.recovered, self.credits(credits)) }
  func refunded(_ id: UInt64, used: Int) -> String { say(.refunded, "\(id)", credits(used)) }
  func reversed(_ id: UInt64) -> String { say(.refundReversed, "\(id)") }
  func putAside(_ reason: QuarantineReason) -> String { say(.putAside, reason.name(in: locale.language)) }
  func balance(_ balance: CreditBalance) -> String {
    let parts = [
      say(.balanceAvailable, "\(balance.available)"), say(.balanceConsumed, "\(balance.consumed)"),
      say(.balancePurchased, "\(balance.purchased)"),
      balance.revoked > 0 ? say(.balanceRevoked, "\(balance.revoked)") : nil,
      balance.overdrawn > 0 ? say(.balanceOverdrawn, "\(balance.overdrawn)") : nil,
    ]
    return parts.compactMap { $0 }.joined(separator: " · ")
  }

  func subscribed(until date: Date) -> String { say(.subscribed, moment(date)) }

  /// How a plan stands, in one line.
  func plan(_ plan: PlanStanding) -> String {
    let end = plan.paidUntil.map { moment($0) } ?? "–"
    return switch plan.state {
    case .none: say(.planNone)
    case .active: "\(say(.planActive, end)) · \(plan.willRenew ? say(.planRenews) : say(.planEnds))"
    case .inGracePeriod: say(.planGrace, plan.graceEndsAt.map { moment($0) } ?? end)
    case .expired: say(.planExpired, end)
    case .notBegun: say(.planNotBegun, end)
    case .revoked: say(.planRevoked)
    }
  }

  /// Nil for a single credit.
  func discount(_ offer: CreditOffer) -> String? {
    offer.discountPercent > 0 ? say(.discount, "\(offer.discountPercent)") : nil
  }

  var overdraft: String { say(.overdraft) }

  func creditState(_ state: String) -> String {
    switch state {
    case "consumed": say(.stateSpent)
    case "refunded": say(.stateRefunded)
    default: say(.stateFree)
    }
  }
  func state(_ purchase: PurchaseDetails) -> String {
    state(isRefunded: purchase.revokedAt != nil, isFinished: purchase.finishedAt != nil)
  }
  func state(isRefunded: Bool, isFinished: Bool) -> String {
    if isRefunded { return say(.stateRefunded) }
    return isFinished ? say(.stateFinished) : say(.stateNotFinished)
  }

  /// How a purchase reached the app; of an unknown way its raw value.
  func delivery(_ path: DeliveryPath) -> String {
    MessageKey(rawValue: "delivery.\(path)").map { say($0) } ?? path.rawValue
  }

  func statistics(_ numbers: PurchaseStatistics) -> [String] {
    let spent = numbers.spent.sorted { $0.key < $1.key }.map { price($0.value, $0.key) }.joined(separator: ", ")
    return [
      say(.statisticsPurchases, "\(numbers.purchaseCount)", "\(numbers.refundedCount)"),
      say(.statisticsSpent, spent.isEmpty ? "0" : spent),
      say(.statisticsReports, "\(numbers.reportCount)"),
      balance(numbers.balance),
    ]
  }

  var productHeader: [String] {
    columns(.columnProduct, .columnTitle, .columnCredits, .columnPrice, .columnDiscount)
  }
  var purchaseHeader: [String] {
    columns(
      .columnTransaction, .columnDate, .columnProduct, .columnCredits, .columnUsed, .columnPrice, .columnStorefront,
      .columnDelivery, .columnState)
  }
  var consumptionHeader: [String] {
    columns(.columnRequest, .columnDate, .columnArea, .columnChart, .columnProfile, .columnCredit)
  }
  var trailHeader: [String] {
    columns(
      .columnCredit, .columnState, .columnDate, .columnArea, .columnChart, .columnProfile, .columnRequest)
  }
  var quarantineHeader: [String] { columns(.columnTransaction, .columnSince, .columnProduct, .columnReason) }
}
