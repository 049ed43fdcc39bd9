import AppStorePurchases
import Foundation

/// What the app sells, by the files that come with it.
struct AppCatalog: Sendable {
  private let catalog: ProductCatalog

  init(storeKitFile: Data, priceTable: Data) throws {
    catalog = ProductCatalog(try StoreKitConfiguration(storeKitFile), prices: try PriceTable(priceTable))
  }

  /// How a storefront writes prices, such as `uk_UA`; nil for one where nothing is sold.
  func localeIdentifier(of countryCode: String) -> String? {
    catalog.prices.regions.first { $0.storefront.countryCode == countryCode }?.localeIdentifier
  }

  /// The price in the United States; nil for a product that is not in the files.
  func listPrice(of productID: String) -> Decimal? { catalog.prices.prices[productID]?["USD"] }

  /// A product as the base storefront shows it; nil for one that is not in the files.
  func definition(of productID: String, in language: AppLanguage) -> Product? {
    let locale = Locale(identifier: language.rawValue)
    return catalog.products(for: [productID], countryCode: catalog.prices.baseCountryCode, locale: locale).first
  }
}
