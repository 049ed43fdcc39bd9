import AppStorePurchases
import Foundation

/// An error that a call may be made to throw, by the name of StoreKit's case.
public enum SimulatedFailure: String, CaseIterable, Hashable, Sendable {
  /// The cases of `StoreKitError`.
  case unknown, userCancelled, networkError, systemError, notAvailableInStorefront, notEntitled, unsupported
  /// The cases of `Product.PurchaseError` for a quantity, a product, a person and an offer's identifier.
  case invalidQuantity, productUnavailable, purchaseNotAllowed, ineligibleForOffer, invalidOfferIdentifier
  /// The cases of `Product.PurchaseError` for an offer's price, signature and parameters.
  case invalidOfferPrice, invalidOfferSignature, missingOfferParameters

  /// A `StoreKitError`, or a `Product.PurchaseError`.
  public var error: any Error { storeError ?? purchaseError ?? StoreKitError.unknown }

  private var storeError: (any Error)? {
    switch self {
    case .unknown: StoreKitError.unknown
    case .userCancelled: StoreKitError.userCancelled
    case .networkError: StoreKitError.networkError(URLError(.notConnectedToInternet))
    case .systemError: StoreKitError.systemError(SimulatedSystemError())
    case .notAvailableInStorefront: StoreKitError.notAvailableInStorefront
    case .notEntitled: StoreKitError.notEntitled
    case .unsupported: StoreKitError.unsupported
    default: nil
    }
  }

  private var purchaseError: (any Error)? {
    switch self {
    case .invalidQuantity: Product.PurchaseError.invalidQuantity
    case .productUnavailable: Product.PurchaseError.productUnavailable
    case .purchaseNotAllowed: Product.PurchaseError.purchaseNotAllowed
    case .ineligibleForOffer: Product.PurchaseError.ineligibleForOffer
    case .invalidOfferIdentifier: Product.PurchaseError.invalidOfferIdentifier
    case .invalidOfferPrice: Product.PurchaseError.invalidOfferPrice
    case .invalidOfferSignature: Product.PurchaseError.invalidOfferSignature
    case .missingOfferParameters: Product.PurchaseError.missingOfferParameters
    default: nil
    }
  }
}

/// The cause of a simulated `StoreKitError.systemError`.
///
/// ```swift
/// try await appStore.simulate(.fails(.systemError), on: .sync)
/// do {
///   try await phone.sync()
/// } catch StoreKitError.systemError(let cause as SimulatedSystemError) {
///   log(cause.description)
/// }
/// ```
public struct SimulatedSystemError: Error, Sendable, CustomStringConvertible {
  /// A sentence for a log.
  public let description = "a system error that the tester asked for"
}
