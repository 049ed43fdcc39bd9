public import Foundation

extension Product {
  /// Why the store refuses a purchase. Nothing was paid.
  ///
  /// ```swift
  /// do {
  ///   _ = try await product.purchase(options: [.quantity(11)])
  /// } catch let error as Product.PurchaseError {
  ///   show(error.localizedDescription)
  /// } catch StoreKitError.networkError {
  ///   show("Try again when you are online. Nothing was paid twice.")
  /// }
  /// ```
  public enum PurchaseError: Error, Hashable, Sendable {
    /// Below 1, above 10, or above 1 for a product that is not consumable.
    case invalidQuantity
    /// No longer sold.
    case productUnavailable
    /// Payments are turned off for this person.
    case purchaseNotAllowed
    /// The account has used up, or never had, its right to the offer.
    case ineligibleForOffer
    /// The product has no offer of this identifier.
    case invalidOfferIdentifier
    /// The offer's price no longer holds.
    case invalidOfferPrice
    /// The signature does not fit the offer, the account or the key.
    case invalidOfferSignature
    /// A part of what an offer needs was not passed.
    case missingOfferParameters
  }
}

extension Product.PurchaseError: CustomStringConvertible, LocalizedError {
  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .invalidQuantity: "the quantity of a purchase is 1 to 10, and 1 unless the product is consumable"
    case .productUnavailable: "the product is no longer sold; load the products again"
    case .purchaseNotAllowed: "purchases are turned off for this person; they can be allowed in the system's settings"
    case .ineligibleForOffer: "the person is not eligible for the offer; buy without it"
    case .invalidOfferIdentifier: "the product has no offer of this identifier; load the products again"
    case .invalidOfferPrice: "the offer's price no longer holds; load the products again"
    case .invalidOfferSignature: "the offer's signature is not valid; have the server sign it anew"
    case .missingOfferParameters: "the offer lacks parameters; pass the key id, nonce, signature and timestamp"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
