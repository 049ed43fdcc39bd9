import Foundation
import RecordStore

/// Takes a purchase back, in one commit: the transaction, the shares that the family has of it, the subscription.
struct Refund {
  let reason: LocalAppStore.RefundReason
  /// Percent of the price, above 0 and below 100; nil: all of it.
  let percentage: Decimal?

  func carryOut(
    _ transaction: LedgerTransaction, _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit
  ) throws {
    var refunded = transaction
    refunded.revocationDate = edit.now
    refunded.revocationReason = reason == .developerIssue ? 1 : 0
    refunded.revocationType = percentage == nil ? .full : .prorated
    refunded.revocationPercentage = percentage ?? 100
    refunded.noteChange(at: edit.now)
    try edit.update(refunded)
    try edit.announce(refunded)
    for var share in try snapshot.shares(of: transaction, edit.settings) where share.revocationDate == nil {
      share.revocationDate = edit.now
      share.revocationReason = 0
      share.revocationType = .family
      share.noteChange(at: edit.now)
      try edit.update(share)
      try edit.announce(share)
    }
    try Self.changeSubscription(of: transaction, snapshot, &edit) { subscription in
      subscription.state = .revoked
      subscription.willRenew = false
    }
  }

  /// Gives a purchase back that was taken: the same transaction, without a revocation.
  static func reverse(
    _ transaction: LedgerTransaction, _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit
  ) throws {
    let shares = try snapshot.shares(of: transaction, edit.settings).filter {
      $0.revocationType == .family && $0.revocationDate == transaction.revocationDate
    }
    for var revoked in [transaction] + shares {
      revoked.revocationDate = nil
      revoked.revocationReason = nil
      revoked.revocationType = nil
      revoked.revocationPercentage = nil
      revoked.noteChange(at: edit.now)
      try edit.update(revoked)
      try edit.announce(revoked)
    }
    let now = edit.now
    try changeSubscription(of: transaction, snapshot, &edit) { subscription in
      guard subscription.state == .revoked else { return }
      subscription.state = subscription.expirationDate > now ? .subscribed : .expired
    }
  }

  /// Changes the subscription whose newest transaction this is.
  private static func changeSubscription(
    of transaction: LedgerTransaction, _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit,
    _ change: (inout LedgerSubscription) -> Void
  ) throws {
    guard let groupID = transaction.subscriptionGroupID else { return }
    let id = LedgerSubscription.id(
      account: transaction.account, groupID: groupID, resetCount: edit.settings.resetCount)
    guard var subscription = try snapshot.find(LedgerSubscription.self, id),
      subscription.currentNumber == transaction.number
    else { return }
    change(&subscription)
    try edit.update(subscription)
    try edit.announceSubscription(subscription)
  }
}

extension StoreSnapshot {
  fileprivate func shares(
    of transaction: LedgerTransaction, _ settings: LedgerSettings
  ) throws -> [LedgerTransaction] {
    try list(
      LedgerTransaction.self, [LedgerCondition("sharedFromNumber", Optional(transaction.number))], by: "number")
  }
}
