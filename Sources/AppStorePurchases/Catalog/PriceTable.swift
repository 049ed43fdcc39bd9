public import Foundation

/// The prices of products in each storefront: the side file that a `.storekit` file, with its one price and no
/// currency, needs. The format is described in <doc:ProductFiles>.
public struct PriceTable: Hashable, Sendable {
  /// The newest format that this build reads.
  public static let newestFormat = 1

  /// A region in which the app is sold.
  public struct Region: Hashable, Sendable {
    /// The store's region, with its country and currency.
    public let storefront: Storefront
    /// How prices are written there, such as `uk_UA`.
    public let localeIdentifier: String

    /// A region of a storefront, whose prices are written as the locale does.
    public init(storefront: Storefront, localeIdentifier: String) {
      self.storefront = storefront
      self.localeIdentifier = localeIdentifier
    }
  }

  /// In the order of the file.
  public let regions: [Region]
  /// The storefront whose currency the prices of the `.storekit` file are in.
  public let baseCountryCode: String
  /// By product, then by currency.
  public let prices: [String: [String: Decimal]]
  /// By product, then by country code: where a price differs from that of other countries with the same currency.
  public let countryPrices: [String: [String: Decimal]]
  /// By product, then by currency: the price of its introductory offer.
  public let introductoryPrices: [String: [String: Decimal]]
  /// Prices that cannot be read; what they would have been is missing.
  public let problems: [CatalogProblem]

  /// Only the United States, at the prices of the `.storekit` file.
  public static let unitedStates = PriceTable(
    regions: [
      Region(
        storefront: Storefront(countryCode: "USA", id: "143441", currency: Locale.Currency("USD")),
        localeIdentifier: "en_US")
    ], baseCountryCode: "USA")

  /// A table made in code, without problems. The dictionaries are keyed as the properties of the same names.
  public init(
    regions: [Region], baseCountryCode: String, prices: [String: [String: Decimal]] = [:],
    countryPrices: [String: [String: Decimal]] = [:], introductoryPrices: [String: [String: Decimal]] = [:]
  ) {
    self.init(
      regions: regions, baseCountryCode: baseCountryCode, prices: prices, countryPrices: countryPrices,
      introductoryPrices: introductoryPrices, problems: [])
  }

  init(
    regions: [Region], baseCountryCode: String, prices: [String: [String: Decimal]],
    countryPrices: [String: [String: Decimal]], introductoryPrices: [String: [String: Decimal]],
    problems: [CatalogProblem]
  ) {
    self.regions = regions
    self.baseCountryCode = baseCountryCode
    self.prices = prices
    self.countryPrices = countryPrices
    self.introductoryPrices = introductoryPrices
    self.problems = problems
  }

  /// The region of a country such as `UKR`; nil where the app is not sold.
  public func region(countryCode: String) -> Region? {
    regions.first { $0.storefront.countryCode == countryCode }
  }

  /// The table's price of a product in a region; nil where it says nothing.
  func price(of productID: String, in region: Region) -> Decimal? {
    countryPrices[productID]?[region.storefront.countryCode] ?? region.currencyCode.flatMap { prices[productID]?[$0] }
  }
}

extension PriceTable.Region {
  var currencyCode: String? { storefront.currency?.identifier }
}
