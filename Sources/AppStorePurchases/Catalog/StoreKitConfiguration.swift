public import Foundation

/// The contents of a `.storekit` file, as Xcode writes it: products, subscription groups, settings.
///
/// Versions 2 to 5 are read, in one way: of a product only `productID`, `type` and `displayPrice` must be there,
/// unknown members are left alone, and what is wrong with one product does not hide the others but stands in
/// ``problems``.
public struct StoreKitConfiguration: Sendable {
  /// The newest version of the file format that is known.
  public static let newestVersion = 5

  /// Nil when the file does not say it.
  public let majorVersion: Int?
  /// In the order of the file: products, non-renewing subscriptions, then group by group.
  public let products: [ProductDefinition]
  /// Products that cannot be sold, and members that were taken as missing.
  public let problems: [CatalogProblem]
  /// The storefront that Xcode's test session would use, such as `USA`; nil when the file does not say it.
  public let storefrontCountryCode: String?
  /// The language that Xcode's test session would use, such as `en_US`; nil when the file does not say it.
  public let localeIdentifier: String?

  /// Reads a file of at most 4 MiB.
  ///
  /// - Throws: ``CatalogError`` `unreadable`, `tooLarge` or `malformed`.
  public init(contentsOf url: URL) throws {
    try self.init(CatalogFile.read(url))
  }

  /// Reads the text of a file.
  ///
  /// - Throws: ``CatalogError`` when it is not a JSON object, or too long.
  public init(_ data: Data) throws {
    let file = try CatalogFile.decode(StoreKitFile.self, from: data, "StoreKit configuration")
    var problems = file.problems
    var products: [ProductDefinition] = []
    for product in file.products {
      if products.contains(where: { $0.id == product.id }) {
        problems.append(CatalogProblem(product.id, "the identifier occurs twice; the first product is sold"))
      } else {
        products.append(product)
      }
    }
    if let version = file.majorVersion, version > Self.newestVersion {
      problems.append(
        CatalogProblem(nil, "the file has version \(version); members newer than \(Self.newestVersion) are left alone"))
    }
    majorVersion = file.majorVersion
    storefrontCountryCode = file.storefrontCountryCode
    localeIdentifier = file.localeIdentifier
    self.products = products
    self.problems = problems
  }
}
