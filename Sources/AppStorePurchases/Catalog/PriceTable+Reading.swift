public import Foundation

extension PriceTable {
  /// Reads a file of at most 4 MiB.
  ///
  /// - Throws: ``CatalogError`` `unreadable`, `tooLarge`, `malformed` or `newerFormat`.
  public init(contentsOf url: URL) throws {
    try self.init(CatalogFile.read(url))
  }

  /// Reads the text of a file.
  ///
  /// - Throws: ``CatalogError``; a price that is not a number such as `4.99` is a problem of its product only.
  public init(_ data: Data) throws {
    let file = try CatalogFile.decode(File.self, from: data, "price table")
    guard file.format <= Self.newestFormat else {
      throw CatalogError(
        .newerFormat,
        "the price table has format \(file.format), this build reads up to \(Self.newestFormat); update the app")
    }
    guard let first = file.storefronts.first else {
      throw CatalogError(.malformed, "the price table has no storefronts; list at least one")
    }
    let base = file.baseStorefront ?? first.countryCode
    guard file.storefronts.contains(where: { $0.countryCode == base }) else {
      throw CatalogError(.malformed, "the base storefront of the price table is not among its storefronts; add it")
    }
    var problems: [CatalogProblem] = []
    self.init(
      regions: file.storefronts.map(\.region), baseCountryCode: base,
      prices: Self.read(file.prices, &problems), countryPrices: Self.read(file.countryPrices, &problems),
      introductoryPrices: Self.read(file.introductoryPrices, &problems), problems: problems)
  }

  /// The table as it stands in JSON.
  private struct File: Decodable {
    let format: Int
    let baseStorefront: String?
    let storefronts: [StorefrontEntry]
    let prices: [String: [String: PriceEntry]]?
    let countryPrices: [String: [String: PriceEntry]]?
    let introductoryPrices: [String: [String: PriceEntry]]?
  }

  private struct StorefrontEntry: Decodable {
    let countryCode: String
    let id: String
    let currency: String
    let locale: String

    var region: Region {
      Region(
        storefront: Storefront(countryCode: countryCode, id: id, currency: Locale.Currency(currency)),
        localeIdentifier: locale)
    }
  }

  /// A price that may be wrong without making the file so.
  private struct PriceEntry: Decodable {
    let price: Decimal?

    init(from decoder: any Decoder) throws {
      price = (try? decoder.singleValueContainer().decode(String.self)).flatMap(PriceText.decimal)
    }
  }

  private static func read(
    _ entries: [String: [String: PriceEntry]]?, _ problems: inout [CatalogProblem]
  ) -> [String: [String: Decimal]] {
    var table: [String: [String: Decimal]] = [:]
    for (productID, row) in (entries ?? [:]).sorted(by: { $0.key < $1.key }) {
      for (place, entry) in row.sorted(by: { $0.key < $1.key }) {
        if let price = entry.price {
          table[productID, default: [:]][place] = price
        } else {
          problems.append(CatalogProblem(productID, "the price for \(place) is not text such as \"4.99\""))
        }
      }
    }
    return table
  }
}
