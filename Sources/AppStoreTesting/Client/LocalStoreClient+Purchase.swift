public import AppStorePurchases
import Foundation

extension LocalStoreClient {
  /// Buys, in one durable commit: when this returns a success, or ends the process after
  /// ``CrashPoint/paidNotReturned``, the purchase is among the unfinished ones of the account.
  ///
  /// - Throws: `Product.PurchaseError` for what the store refuses, else `StoreKitError`, and the fault that a tester
  ///   asked for. After a throw the purchase may have been made all the same, as with the App Store.
  public func purchase(_ request: PurchaseRequest) async throws -> Product.PurchaseResult {
    let session = session
    return try await session.answering {
      CrashPoint.beforePayment.reach()
      let outcome = try await session.place(session.order(request), request)
      if outcome.isPaid { CrashPoint.paidNotReturned.reach() }
      return try await session.answer(outcome)
    }
  }

  /// Recorded for the account: no device gets it as unfinished again. Harmless when repeated.
  ///
  /// - Throws: `StoreKitError`; its cause is `StoreConnectionError` `unknownTransaction` for a transaction of before
  ///   a reset.
  public func finish(_ transaction: Transaction) async throws {
    let session = session
    try await session.answering {
      CrashPoint.beforeFinish.reach()
      let fault = try await session.finish(transaction)
      if fault?.isDone ?? true { CrashPoint.finishedNotReturned.reach() }
      if let fault { throw fault.error }
    }
  }
}

extension Session {
  fileprivate func order(_ request: PurchaseRequest) -> PurchaseOrder {
    PurchaseOrder(
      productID: request.product.id, quantity: request.quantity, appAccountToken: request.appAccountToken,
      simulatesAskToBuy: request.simulatesAskToBuy, offer: request.offer,
      currency: request.product.priceFormatStyle.currencyCode, account: account, device: device.name, session: id)
  }

  /// Comes back with the person's consent when the storefront is not the one of the product.
  fileprivate func place(_ order: PurchaseOrder, _ request: PurchaseRequest) async throws -> PurchaseOutcome {
    let assortments = assortments
    let outcome = try await ledger.commitSettled(account, assortments) { snapshot, edit in
      let counter = PurchaseCounter(
        assortment: try assortments.assortment(snapshot, edit.settings), order: order)
      return try counter.place(snapshot, &edit)
    }
    guard case .storefrontChanged(let storefront) = outcome else { return outcome }
    guard request.shouldContinue(in: storefront) else { return .userCancelled }
    return try await place(order.agreeing(to: storefront), request)
  }

  fileprivate func answer(_ outcome: PurchaseOutcome) async throws -> Product.PurchaseResult {
    switch outcome {
    case .bought(let transaction):
      guard let result = try await result(for: transaction.id) else { throw StoreKitError.unknown }
      return .success(result)
    case .pending: return .pending
    case .userCancelled: return .userCancelled
    case .refused(let refusal): throw refusal.error
    case .fault(let fault, _): throw fault.error
    case .storefrontChanged: preconditionFailure("the order went back with the person's consent")
    }
  }

  /// The fault that the caller shall see although the work may be done.
  fileprivate func finish(_ transaction: Transaction) async throws -> SimulatedFault? {
    let (account, device) = (account, device.name)
    return try await ledger.commit { snapshot, edit in
      let fault = try edit.takeFault(on: .finish, account: account, device: device, snapshot)
      switch fault {
      case nil, .losesAnswer?: break
      default: return fault
      }
      let id = LedgerTransaction.id(number: transaction.id, resetCount: edit.settings.resetCount)
      // After a reset, another purchase may have the id that this one had.
      guard var stored = try snapshot.find(LedgerTransaction.self, id), stored.account == account,
        stored.productID == transaction.productID,
        stored.purchaseDate.milliseconds == transaction.purchaseDate.milliseconds
      else {
        throw StoreConnectionError(
          .unknownTransaction, "the App Store has no such transaction of this account; it was reset, or signed out")
      }
      stored.finishedDate = stored.finishedDate ?? edit.now
      stored.noteSigning(until: edit.now)
      stored.isFinished = true
      stored.finishCount += 1
      try edit.update(stored)
      return fault
    }
  }
}

extension PurchaseOrder {
  fileprivate func agreeing(to storefront: Storefront) -> PurchaseOrder {
    PurchaseOrder(
      productID: productID, quantity: quantity, appAccountToken: appAccountToken, simulatesAskToBuy: simulatesAskToBuy,
      offer: offer, currency: storefront.currency?.identifier, account: account, device: device, session: session)
  }
}
