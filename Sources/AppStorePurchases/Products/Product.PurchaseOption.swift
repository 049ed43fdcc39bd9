public import Foundation

extension Product {
  /// A wish for one purchase. A set of them goes to ``purchase(options:)``; ``PurchaseRequest`` is what a client reads.
  public struct PurchaseOption: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      case quantity(Int)
      case appAccountToken(UUID)
      case simulatesAskToBuy(Bool)
      case storefrontChange(StorefrontDecision)
      case introductoryOfferEligibility(compactJWS: String)
      case promotionalOffer(id: String, compactJWS: String)
      case custom(key: String, PurchaseRequest.CustomValue)
    }

    package let value: Value

    /// How many of a consumable: 1 to 10. Anything else makes the purchase throw ``PurchaseError/invalidQuantity``.
    public static func quantity(_ quantity: Int) -> PurchaseOption {
      PurchaseOption(value: .quantity(quantity))
    }

    /// Whose account of the app this is for; comes back in ``Transaction/appAccountToken``.
    public static func appAccountToken(_ token: UUID) -> PurchaseOption {
      PurchaseOption(value: .appAccountToken(token))
    }

    /// Makes a test store behave as if somebody had to approve the purchase. Production ignores it.
    public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption {
      PurchaseOption(value: .simulatesAskToBuy(simulateAskToBuy))
    }

    /// Asked when the storefront changes during the purchase; without it the purchase goes on at the new price.
    public static func onStorefrontChange(
      shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
    ) -> PurchaseOption {
      PurchaseOption(value: .storefrontChange(StorefrontDecision(shouldContinuePurchase)))
    }

    /// The server's word on whether the introductory offer applies, as a compact JWS.
    public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption {
      PurchaseOption(value: .introductoryOfferEligibility(compactJWS: compactJWS))
    }

    /// A promotional offer of the product, signed by the app's server as a compact JWS.
    public static func promotionalOffer(_ offerID: String, compactJWS: String) -> PurchaseOption {
      PurchaseOption(value: .promotionalOffer(id: offerID, compactJWS: compactJWS))
    }

    /// A value for the store's own use.
    public static func custom(key: String, value: String) -> PurchaseOption {
      PurchaseOption(value: .custom(key: key, .text(value)))
    }

    /// A number for the store's own use.
    public static func custom(key: String, value: Double) -> PurchaseOption {
      PurchaseOption(value: .custom(key: key, .number(value)))
    }

    /// A truth value for the store's own use.
    public static func custom(key: String, value: Bool) -> PurchaseOption {
      PurchaseOption(value: .custom(key: key, .flag(value)))
    }

    /// Bytes for the store's own use.
    public static func custom(key: String, value: Data) -> PurchaseOption {
      PurchaseOption(value: .custom(key: key, .data(value)))
    }
  }
}

/// The app's answer to a storefront that changes in the middle of a purchase. Equal only to itself.
package final class StorefrontDecision: Hashable, Sendable {
  package let shouldContinue: @Sendable (Storefront) -> Bool

  package init(_ shouldContinue: @escaping @Sendable (Storefront) -> Bool) {
    self.shouldContinue = shouldContinue
  }

  package static func == (left: StorefrontDecision, right: StorefrontDecision) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
