import AppStorePurchases
import Foundation
import RecordStore

/// Decides, inside a commit, what becomes of an order: in the order of StoreKit's own checks, payment last.
struct PurchaseCounter {
  let assortment: Assortment
  let order: PurchaseOrder

  /// The order of an app's `purchase()`.
  func place(_ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit) throws -> PurchaseOutcome {
    let account = try snapshot.account(order.account)
    let storefront = assortment.storefront(account.storefront)
    if let product = assortment.product(order.productID, in: account.storefront), let agreed = order.currency,
      agreed != product.priceFormatStyle.currencyCode
    {
      return .storefrontChanged(storefront)
    }
    let fault = try edit.takeFault(on: .purchase, account: order.account, device: order.device, snapshot)
    switch fault {
    case .fails?: return .fault(fault ?? .cancels, nil)
    case .cancels?: return .userCancelled
    case .interrupts(let throwsUnknown)?:
      try wait(.interrupted, &edit)
      return throwsUnknown ? .refused(.store(.unknown)) : .pending
    case .losesAnswer?, nil: break
    }
    let outcome = try pay(account, storefront, snapshot, &edit)
    guard let fault, !outcome.isRefusal else { return outcome }
    if case .bought(let transaction) = outcome { return .fault(fault, transaction) }
    return .fault(fault, nil)
  }

  /// The order of a request that was approved: nobody is asked again.
  func payApproved(_ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit) throws -> PurchaseOutcome {
    let account = try snapshot.account(order.account)
    return try sell(account, assortment.storefront(account.storefront), snapshot, &edit)
  }

  private func pay(
    _ account: LedgerAccount, _ storefront: Storefront, _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit
  ) throws -> PurchaseOutcome {
    guard account.canMakePayments else { return .refused(.purchase(.purchaseNotAllowed)) }
    if let refusal = refusal(account) { return .refused(refusal) }
    guard account.asksToBuy || order.simulatesAskToBuy else { return try sell(account, storefront, snapshot, &edit) }
    try wait(.askToBuy, &edit)
    return .pending
  }

  private func sell(
    _ account: LedgerAccount, _ storefront: Storefront, _ snapshot: borrowing StoreSnapshot, _ edit: inout LedgerEdit
  ) throws -> PurchaseOutcome {
    if let refusal = refusal(account) { return .refused(refusal) }
    guard let product = assortment.product(order.productID, in: account.storefront) else {
      return .refused(.purchase(.productUnavailable))
    }
    let sale = Sale(product: product, storefront: storefront, account: account, order: order)
    return .bought(try sale.carryOut(snapshot, &edit))
  }

  private func refusal(_ account: LedgerAccount) -> PurchaseOutcome.Refusal? {
    guard let product = assortment.product(order.productID, in: account.storefront) else {
      return assortment.sells(order.productID) ? .store(.notAvailableInStorefront) : .purchase(.productUnavailable)
    }
    guard PurchaseRequest.quantities.contains(order.quantity), order.quantity == 1 || product.type == .consumable else {
      return .purchase(.invalidQuantity)
    }
    return offerRefusal(product).map { .purchase($0) }
  }

  private func offerRefusal(_ product: Product) -> Product.PurchaseError? {
    switch order.offer {
    case nil: return nil
    case .introductory:
      return product.subscription?.introductoryOffer == nil ? .ineligibleForOffer : nil
    case .promotional(let id, let signature):
      let type = Product.SubscriptionOffer.OfferType.promotional.rawValue
      guard product.subscription?.offer(type, id) != nil else { return .invalidOfferIdentifier }
      return signature.isEmpty ? .invalidOfferSignature : nil
    }
  }

  private func wait(_ kind: LedgerRequest.Kind, _ edit: inout LedgerEdit) throws {
    let number = edit.takeControlNumber()
    var request = LedgerRequest(id: LedgerRequest.id(number: number))
    request.number = number
    request.kind = kind
    request.account = order.account
    request.device = order.device
    request.productID = order.productID
    request.quantity = order.quantity
    request.appAccountToken = order.appAccountToken
    request.requestDate = edit.now
    try edit.insert(request)
  }
}

extension PurchaseOutcome {
  /// Whether the store said no, so that no answer could be lost.
  fileprivate var isRefusal: Bool {
    if case .refused = self { true } else { false }
  }
}
