import Foundation
import StoreKit
import Testing

@Suite struct `The product contract` {
  @Test func `every credit product exists, is a consumable, and is not shared with a family`() async throws {
    try await withAppStore { appStore in
      try await onDevice("phone", of: appStore) {
        let products = try await Product.products(for: CreditProduct.allCases.map(\.rawValue))
        #expect(Set(products.map(\.id)) == Set(CreditProduct.allCases.map(\.rawValue)))
        for product in products {
          #expect(product.type == .consumable)
          #expect(!product.isFamilyShareable)
          #expect(product.subscription == nil)
        }
      }
    }
  }

  @Test func `every consumable that is sold has credits`() async throws {
    try await withAppStore { appStore in
      let sold = try await allProducts(of: appStore).filter { $0.type == .consumable }
      #expect(sold.count == CreditProduct.allCases.count)
      for product in sold { #expect(CreditProduct(rawValue: product.id) != nil, "\(product.id)") }
    }
  }

  @Test(arguments: [(CreditProduct.single, 1), (.pack5, 5), (.pack10, 10)])
  func `a product is worth its credits`(product: CreditProduct, credits: Int) {
    #expect(product.credits == credits)
  }

  @Test(arguments: [
    ("USA", "USD", "4.99"), ("UKR", "UAH", "199"), ("DEU", "EUR", "4.99"), ("GBR", "GBP", "4.99"),
    ("CAN", "CAD", "6.99"), ("AUS", "AUD", "7.99"),
  ])
  func `one credit costs exactly what the storefront says`(
    storefront: String, currency: String, price: String
  ) async throws {
    try await withAppStore(storefront: storefront) { appStore in
      try await onDevice("phone", of: appStore) {
        let product = try #require(try await Product.products(for: [CreditProduct.single.rawValue]).first)
        #expect(product.price == Decimal(string: price))
        #expect(product.priceFormatStyle.currencyCode == currency)
        #expect(await Storefront.current?.countryCode == storefront)
        #expect(product.displayPrice.contains { $0.isNumber })
      }
    }
  }

  @Test(arguments: [(CreditProduct.pack5, "19.99"), (.pack10, "34.99")])
  func `a pack costs exactly what it costs in the United States`(product: CreditProduct, price: String) async throws {
    try await withAppStore { appStore in
      try await onDevice("phone", of: appStore) {
        let loaded = try #require(try await Product.products(for: [product.rawValue]).first)
        #expect(loaded.price == Decimal(string: price))
      }
    }
  }

  @Test func `names and descriptions are there in English and Ukrainian, and differ`() async throws {
    try await withAppStore { appStore in
      var texts: [String: Set<String>] = [:]
      for language in ["en", "uk"] {
        try await onDevice("phone", of: appStore, language: language) {
          for product in try await Product.products(for: CreditProduct.allCases.map(\.rawValue)) {
            #expect(!product.displayName.isEmpty && !product.description.isEmpty)
            texts[product.id, default: []].formUnion([product.displayName, product.description])
            let isCyrillic = product.displayName.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) }
            #expect(isCyrillic == (language == "uk"), "\(product.displayName)")
          }
        }
      }
      #expect(texts.values.allSatisfy { $0.count == 4 })
    }
  }
}
