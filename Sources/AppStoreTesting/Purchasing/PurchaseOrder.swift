import AppStorePurchases
import Foundation

/// One call of `purchase()`, or one approval, as a value that a commit can carry out.
struct PurchaseOrder: Sendable {
  let productID: String
  let quantity: Int
  let appAccountToken: UUID?
  let simulatesAskToBuy: Bool
  let offer: PurchaseRequest.Offer?
  /// The person agreed to the purchase in this storefront; nil: in any.
  let currency: String?
  let account: String
  let device: String
  /// Whose answer the transaction is; nil: nobody waits.
  let session: UInt64?
}

/// How an order ended, in the ledger.
enum PurchaseOutcome: Sendable {
  case bought(LedgerTransaction)
  case pending
  case userCancelled
  /// Nothing happened.
  case refused(Refusal)
  /// The storefront is not the one that the person saw: asks the app, then comes again.
  case storefrontChanged(Storefront)
  /// A fault that the tester wants, and what happened before it.
  case fault(SimulatedFault, LedgerTransaction?)

  /// Whether the ledger has a transaction of it now.
  var isPaid: Bool {
    switch self {
    case .bought, .fault(_, _?): true
    default: false
    }
  }

  enum Refusal: Sendable {
    case purchase(Product.PurchaseError)
    case store(StoreKitError)

    var error: any Error {
      switch self {
      case .purchase(let error): error
      case .store(let error): error
      }
    }
  }
}
