public import AppStorePurchases
import Foundation
import RecordStore
import Synchronization

extension LocalStoreClient {
  /// The account's transactions as they are counted when the first is asked for, the newest purchase first. Each token
  /// is signed when it is asked for, and tells the state of that moment.
  public func transactions(_ scope: TransactionScope) -> TransactionStream {
    let session = session
    let query = TransactionQuery(session, scope)
    return TransactionStream { try await session.answering { try await query.next() } }
  }

  /// The account's newest transaction of a product, signed anew, finished or not; nil when there is none.
  /// - Throws: `StoreKitError`, and the fault that a tester asked for.
  public func latestTransaction(for productID: String) async throws -> VerificationResult<Transaction>? {
    let session = session
    return try await session.answering {
      try await session.failIfTold(.latestTransaction)
      try await session.settle()
      let newest = try await session.ledger.read { snapshot in
        try snapshot.list(
          LedgerTransaction.self,
          [LedgerCondition("account", session.account), LedgerCondition("productID", productID)],
          by: "number", isDescending: true, limit: 1
        ).first?.id
      }
      guard let newest else { return nil }
      return try await session.result(for: newest)
    }
  }

  /// Asks for the money back. A local App Store grants it at once; the refund arrives through the updates.
  ///
  /// - Throws: `Transaction.RefundRequestError`: `failed` for a transaction of another account, `duplicateRequest` for
  ///   one that is refunded already; else `StoreKitError`.
  public func beginRefundRequest(transactionID: UInt64) async throws -> Transaction.RefundRequestStatus {
    let session = session
    return try await session.answering {
      let fault = try await session.takeFault(on: .refundRequest)
      if fault == .cancels { return .userCancelled }
      if let fault { throw fault.error }
      try await session.ledger.commit { snapshot, edit in
        let transaction = try snapshot.transaction(transactionID, edit.settings)
        guard transaction.account == session.account else { throw Transaction.RefundRequestError.failed }
        guard transaction.revocationDate == nil else { throw Transaction.RefundRequestError.duplicateRequest }
        try Refund(reason: .other, percentage: nil).carryOut(transaction, snapshot, &edit)
      }
      return .success
    }
  }
}

/// An account's transactions, handed out one after another.
private final class TransactionQuery: Sendable {
  private let session: Session
  private let scope: TransactionScope
  /// The newest last; nil before the first is asked for.
  private let remaining = Mutex<[RecordID]?>(nil)

  init(_ session: Session, _ scope: TransactionScope) {
    self.session = session
    self.scope = scope
  }

  func next() async throws -> VerificationResult<Transaction>? {
    if remaining.withLock({ $0 == nil }) {
      try await session.failIfTold(scope.call)
      try await session.settle()
      let found = try await session.transactions(scope).map(\.id)
      remaining.withLock { $0 = found }
    }
    while let id = remaining.withLock({ $0?.popLast() }) {
      guard let result = try await session.result(for: id) else { continue }
      // It may have been refunded since it was counted.
      if scope.isOfEntitlements, result.unsafePayloadValue.revocationDate != nil { continue }
      return result
    }
    return nil
  }
}

extension TransactionScope {
  fileprivate var call: StoreCall {
    switch self {
    case .all, .history: .history
    case .unfinished: .unfinished
    case .currentEntitlements, .currentEntitlement: .currentEntitlements
    }
  }
}

extension Session {
  /// The oldest first.
  func transactions(_ scope: TransactionScope) async throws -> [LedgerTransaction] {
    let account = account
    return try await ledger.readNow { snapshot, _, now in
      let conditions = [LedgerCondition("account", account)] + scope.conditions
      let found = try snapshot.list(LedgerTransaction.self, conditions, by: "number")
      return scope.isOfEntitlements ? try snapshot.entitled(found, account, now) : found
    }
  }
}

extension TransactionScope {
  fileprivate var conditions: [LedgerCondition] {
    switch self {
    case .all: []
    case .unfinished: [LedgerCondition("isFinished", false)]
    case .currentEntitlements: [LedgerCondition("productType", .notEqual, "Consumable")]
    case .currentEntitlement(let productID), .history(let productID): [LedgerCondition("productID", productID)]
    }
  }

  fileprivate var isOfEntitlements: Bool {
    switch self {
    case .currentEntitlements, .currentEntitlement: true
    case .all, .unfinished, .history: false
    }
  }
}

extension StoreSnapshot {
  /// Those that the person may use; of a subscription the newest.
  fileprivate func entitled(
    _ transactions: [LedgerTransaction], _ account: String, _ now: Date
  ) throws -> [LedgerTransaction] {
    let subscriptions = try list(LedgerSubscription.self, [LedgerCondition("account", account)])
    let graceEnds = Dictionary(
      subscriptions.compactMap { subscription in subscription.graceEnd.map { (subscription.currentNumber, $0) } },
      uniquingKeysWith: max)
    let usable = transactions.filter { $0.isEntitlement(at: now, graceEnd: graceEnds[$0.number]) }
    let newest = Dictionary(usable.map { ($0.entitlementKey, $0.number) }, uniquingKeysWith: max)
    return usable.filter { newest[$0.entitlementKey] == $0.number }
  }
}

extension LedgerTransaction {
  /// The key among whose transactions only the newest entitles: those of a subscription and those of a
  /// non-consumable. Each non-renewing subscription counts for itself.
  fileprivate var entitlementKey: [String] {
    if let subscriptionGroupID { return ["group", subscriptionGroupID, ownership.rawValue] }
    if productType == "Non-Consumable" { return ["product", productID, ownership.rawValue] }
    return ["transaction", String(number)]
  }
}
