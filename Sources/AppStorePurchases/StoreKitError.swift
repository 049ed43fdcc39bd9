public import Foundation

/// The error that any call to the store may throw.
public enum StoreKitError: Error, Sendable {
  /// Something that the store does not explain. An interrupted purchase may end like this and still arrive later.
  case unknown
  /// The person stopped it: say nothing.
  case userCancelled
  /// The store could not be reached.
  case networkError(URLError)
  /// The system or the store's own storage failed; the cause tells.
  case systemError(any Error)
  /// The product is not sold in the account's storefront.
  case notAvailableInStorefront
  /// The app is not entitled to use the store.
  case notEntitled
  /// The store does not offer this.
  case unsupported
}

extension StoreKitError: CustomStringConvertible, LocalizedError {
  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .unknown: "the App Store did not say what failed; nothing was delivered, a purchase may still arrive later"
    case .userCancelled: "the request was cancelled"
    case .networkError: "the App Store cannot be reached; check the connection and try again"
    case .systemError(let cause as StoreConnectionError): cause.message
    case .systemError: "the App Store could not do this because of a system error; try again later"
    case .notAvailableInStorefront: "the product is not available in this App Store region"
    case .notEntitled: "the app is not entitled to use the App Store; check its identifier and capabilities"
    case .unsupported: "this App Store does not support the request"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
