public import AppStorePurchases
public import Foundation

/// A plan as a paywall shows it.
public struct PlanOffer: Hashable, Sendable {
  /// The plan that is subscribed to.
  public let plan: PlanProduct
  /// The plan's name in the person's language.
  public let displayName: String
  /// The price of one period, exact.
  public let price: Decimal
  /// The price as a person reads it, with its currency.
  public let displayPrice: String
  /// The currency by ISO 4217, such as `EUR`.
  public let currencyCode: String

  /// Nil for a product that is none of the app's plans, or that the App Store sells as another type.
  public init?(_ product: Product) {
    guard product.type == .autoRenewable, let plan = PlanProduct(rawValue: product.id) else { return nil }
    self.plan = plan
    displayName = product.displayName
    price = product.price
    displayPrice = product.displayPrice
    currencyCode = product.priceFormatStyle.currencyCode
  }
}
