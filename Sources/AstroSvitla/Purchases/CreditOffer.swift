public import AppStorePurchases
public import Foundation

/// A product as a paywall shows it: what it brings, what it costs, how much cheaper a credit is than alone.
public struct CreditOffer: Hashable, Sendable {
  /// The product that is bought.
  public let product: CreditProduct
  /// The product's name in the language of the storefront.
  public let displayName: String
  /// The price of the whole product, exact.
  public let price: Decimal
  /// The price as a person reads it, with its currency.
  public let displayPrice: String
  /// The currency by ISO 4217, such as `EUR`.
  public let currencyCode: String
  /// Whole percent by which a credit of the pack costs less than a single one; 0 for the single one.
  public let discountPercent: Int

  /// The offers among the App Store's products, the cheapest first. Products that the app does not know, or that are no
  /// consumables, are left out.
  public static func all(among products: [Product]) -> [CreditOffer] {
    let known = products.compactMap { product in
      product.type == .consumable ? CreditProduct(rawValue: product.id).map { ($0, product) } : nil
    }
    let single = known.first { $0.0 == .single }?.1.price
    return known.map { CreditOffer($0, $1, singlePrice: single) }.sorted { $0.price < $1.price }
  }

  private init(_ known: CreditProduct, _ product: Product, singlePrice: Decimal?) {
    self.product = known
    displayName = product.displayName
    price = product.price
    displayPrice = product.displayPrice
    currencyCode = product.priceFormatStyle.currencyCode
    discountPercent = singlePrice.map { Self.discount(of: product.price, credits: known.credits, single: $0) } ?? 0
  }

  private static func discount(of price: Decimal, credits: Int, single: Decimal) -> Int {
    guard single > 0 else { return 0 }
    let part = NSDecimalNumber(decimal: 100 - 100 * price / (single * Decimal(credits))).doubleValue
    return max(0, Int(part.rounded()))
  }
}
