public import AppStorePurchases
public import Foundation

extension LocalAppStore {
  /// Puts products on sale, in place of those before: the contents of a `.storekit` file, and of a price table for
  /// storefronts other than the United States. Running apps see them when they load products again.
  ///
  /// Returns what is wrong with single products, which are then not sold.
  ///
  /// - Throws: `CatalogError` when a file cannot be read at all, and ``AppStoreTestingError`` `ledger`; then the
  ///   products stay as they were.
  @discardableResult
  public func setProducts(storeKitFile: Data, priceTable: Data? = nil) async throws -> [CatalogProblem] {
    var files = LedgerProducts()
    (files.storeKitFile, files.priceTable) = (storeKitFile, priceTable)
    let (finished, assortment) = (files, try Assortment(files))
    try await ledger.commit { snapshot, edit in
      let before = try snapshot.find(LedgerProducts.self, LedgerProducts.onlyID)
      // Programs set their products at each start.
      guard before != finished else { return }
      if before == nil { try edit.insert(finished) } else { try edit.update(finished) }
      edit.settings.productRevision += 1
    }
    return assortment.catalog.problems
  }

  /// The products that are sold to an account, in its storefront.
  ///
  /// - Throws: ``AppStoreTestingError`` `unknownAccount`, or `noProducts` while none are set.
  public func products(for account: String, language: String = "en") async throws -> [Product] {
    let assortments = assortments
    return try await ledger.readNow { snapshot, settings, _ in
      let countryCode = try snapshot.account(account).storefront
      return try assortments.assortment(snapshot, settings).catalog
        .products(countryCode: countryCode, locale: Locale(identifier: language))
    }
  }

  /// The countries in which the app is sold.
  ///
  /// - Throws: ``AppStoreTestingError`` `noProducts` while none are set.
  public func storefronts() async throws -> [Storefront] {
    let assortments = assortments
    return try await ledger.readNow { snapshot, settings, _ in
      try assortments.assortment(snapshot, settings).catalog.prices.regions.map(\.storefront)
    }
  }
}
