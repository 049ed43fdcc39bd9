import AppStorePurchases
import Foundation
import RecordStore
import Synchronization

/// The products that the App Store sells, in each storefront.
struct Assortment: Sendable {
  let catalog: ProductCatalog

  /// Throws ``CatalogError`` when a file cannot be read at all.
  init(_ files: LedgerProducts) throws {
    let configuration = try StoreKitConfiguration(files.storeKitFile)
    if let table = files.priceTable {
      catalog = ProductCatalog(configuration, prices: try PriceTable(table))
    } else {
      catalog = ProductCatalog(configuration)
    }
  }

  /// Nil when it is not sold, or not in this country.
  func product(_ id: String, in countryCode: String) -> Product? {
    catalog.products(for: [id], countryCode: countryCode, locale: Self.locale).first
  }

  /// Whether it is sold anywhere.
  func sells(_ id: String) -> Bool { catalog.configuration.products.contains { $0.id == id } }

  func storefront(_ countryCode: String) -> Storefront {
    catalog.prices.region(countryCode: countryCode)?.storefront ?? Storefront(countryCode: countryCode, id: "0")
  }

  /// Names do not matter where money is counted.
  private static let locale = Locale(identifier: "en_US")
}

/// The assortment as this process has read it last.
final class AssortmentCache: Sendable {
  private let cached = Mutex<(revision: Int, assortment: Assortment)?>(nil)

  /// The products that are sold now. Reads the files again after they were replaced.
  func assortment(_ snapshot: borrowing StoreSnapshot, _ settings: LedgerSettings) throws -> Assortment {
    if let known = cached.withLock({ $0 }), known.revision == settings.productRevision { return known.assortment }
    guard let files = try snapshot.find(LedgerProducts.self, LedgerProducts.onlyID) else {
      throw AppStoreTestingError(
        .noProducts, "the App Store sells nothing yet: give it a .storekit file by setProducts")
    }
    let assortment = try Assortment(files)
    cached.withLock { $0 = (settings.productRevision, assortment) }
    return assortment
  }
}
