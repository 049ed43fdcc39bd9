import AppStorePurchases
import Foundation

/// What people are told when something about a purchase goes wrong, in their language. Cancelling is silent.
public struct PurchaseMessage: Hashable, Sendable {
  /// The rows of the error table.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The App Store cannot be reached.
    case network
    /// The App Store failed.
    case system
    /// The region does not sell the product.
    case notAvailableInRegion
    /// A transaction's signature or content is not right.
    case verificationFailed
    /// A report needs a credit, and there is none.
    case notEnoughCredits
    /// Somebody else has to agree to the purchase.
    case waitingForApproval
    /// The person may not pay on this device.
    case purchasesTurnedOff
    /// So many cannot be bought at a time.
    case invalidQuantity
    /// The report could not be written.
    case generationFailed
    /// There is a report about this area of the chart already.
    case alreadyPurchased
    /// The App Store sells the product as another type than the app does.
    case incorrectProductType
  }

  /// The row of the error table.
  public let kind: Kind

  /// Creates the message of a row.
  public init(_ kind: Kind) { self.kind = kind }

  /// The row of an error; nil for cancelling, and for errors that are not about purchases.
  public init?(for error: any Error) {
    guard let kind = Self.kind(of: error) else { return nil }
    self.kind = kind
  }

  private static func kind(of error: any Error) -> Kind? {
    switch error {
    case let error as AstroSvitlaError: appKind(error.code)
    case let error as StoreKitError: storeKind(error)
    case let error as Product.PurchaseError: purchaseKind(error)
    case is VerificationResult<Transaction>.VerificationError, is VerificationFailure: .verificationFailed
    case is URLError: .network
    default: nil
    }
  }

  private static func appKind(_ code: AstroSvitlaError.Code) -> Kind? {
    switch code {
    case .notEnoughCredits: .notEnoughCredits
    case .verificationFailed: .verificationFailed
    case .productUnavailable: .notAvailableInRegion
    case .purchasesTurnedOff: .purchasesTurnedOff
    case .generationFailed: .generationFailed
    case .alreadyPurchased: .alreadyPurchased
    case .incorrectProductType: .incorrectProductType
    default: nil
    }
  }

  private static func storeKind(_ error: StoreKitError) -> Kind? {
    switch error {
    case .userCancelled: nil
    case .networkError: .network
    case .notAvailableInStorefront: .notAvailableInRegion
    case .unknown, .systemError, .notEntitled, .unsupported: .system
    }
  }

  private static func purchaseKind(_ error: Product.PurchaseError) -> Kind {
    switch error {
    case .invalidQuantity: .invalidQuantity
    case .productUnavailable: .notAvailableInRegion
    case .purchaseNotAllowed: .purchasesTurnedOff
    default: .system
    }
  }

  /// The sentence for people.
  public func text(in language: AppLanguage) -> String { language.text(.name("message", kind.rawValue)) }
}
