import AppStorePurchases
public import Foundation

extension LocalAppStore {
  /// A purchase that is not paid yet because somebody has to do something first.
  ///
  /// ```swift
  /// for purchase: LocalAppStore.WaitingPurchase in try await appStore.waitingPurchases() {
  ///   switch purchase.reason {
  ///   case .askToBuy: print("paid as \(try await appStore.approve(purchase.id))")
  ///   case .interrupted: try await appStore.expire(purchase.id)
  ///   }
  /// }
  /// ```
  public struct WaitingPurchase: Hashable, Sendable, Codable, Identifiable {
    /// The reason for which a purchase waits.
    public enum Reason: String, Hashable, Sendable, Codable {
      /// A parent has to agree.
      case askToBuy
      /// The person has to agree to new terms, or to mend the payment.
      case interrupted
    }

    /// The number by which the purchase is approved, declined or expired.
    public let id: UInt64
    /// The reason for which it waits.
    public let reason: Reason
    /// The name of the account.
    public let account: String
    /// Where it was asked for.
    public let device: String
    /// The identifier of the product.
    public let productID: String
    /// How many were asked for: 1 to 10.
    public let quantity: Int
    /// The time of the request, by the App Store's clock.
    public let date: Date
  }

  /// Purchases that wait, the oldest first.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func waitingPurchases() async throws -> [WaitingPurchase] {
    try await ledger.read { snapshot in
      try snapshot.list(LedgerRequest.self, [LedgerCondition("state", LedgerRequest.State.waiting)], by: "number").map {
        WaitingPurchase(
          id: $0.number, reason: $0.kind == .askToBuy ? .askToBuy : .interrupted, account: $0.account,
          device: $0.device, productID: $0.productID, quantity: $0.quantity, date: $0.requestDate)
      }
    }
  }

  /// Agrees to a waiting purchase, or lets the person finish an interrupted one: it is paid now, at today's price, and
  /// arrives in `Transaction.updates` on every device of the account. Returns the transaction's id.
  ///
  /// - Throws: ``AppStoreTestingError``: `unknownRequest` when it does not wait any more, so that nothing is paid
  ///   twice, and `invalidRequest` when the product is not sold any more; then it goes on waiting.
  @discardableResult
  public func approve(_ id: WaitingPurchase.ID) async throws -> UInt64 {
    let assortments = assortments
    let account = try await ledger.read { try $0.waiting(id).account }
    return try await ledger.commitSettled(account, assortments) { snapshot, edit in
      var request = try snapshot.waiting(id)
      let order = PurchaseOrder(
        productID: request.productID, quantity: request.quantity, appAccountToken: request.appAccountToken,
        simulatesAskToBuy: false, offer: nil, currency: nil, account: request.account, device: request.device,
        session: nil)
      let counter = PurchaseCounter(assortment: try assortments.assortment(snapshot, edit.settings), order: order)
      guard case .bought(let transaction) = try counter.payApproved(snapshot, &edit) else {
        throw AppStoreTestingError(
          .invalidRequest, "the product of the waiting purchase is not sold to this account any more: decline it")
      }
      request.state = .approved
      request.transactionNumber = transaction.number
      try edit.update(request)
      return transaction.number
    }
  }

  /// Refuses a waiting purchase. As in StoreKit, the app is not told.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownRequest` when it does not wait any more.
  public func decline(_ id: WaitingPurchase.ID) async throws { try await end(id, .declined) }

  /// Lets a waiting purchase lapse, as a request does that nobody answers for a day. The app is not told.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownRequest` when it does not wait any more.
  public func expire(_ id: WaitingPurchase.ID) async throws { try await end(id, .expired) }

  private func end(_ id: WaitingPurchase.ID, _ state: LedgerRequest.State) async throws {
    try await ledger.commit { snapshot, edit in
      var request = try snapshot.waiting(id)
      request.state = state
      try edit.update(request)
    }
  }
}
