import AppStorePurchases
import Foundation
import Testing

@Suite struct CatalogTests {
  static let single = "com.astrosvitla.report.credit.single"

  private func fixture(_ name: String) throws -> URL {
    let folder = try #require(Bundle.module.resourceURL)
    return folder.appending(path: "Fixtures").appending(path: name)
  }

  private func catalog() throws -> ProductCatalog {
    ProductCatalog(
      try StoreKitConfiguration(contentsOf: fixture("AstroSvitla.storekit")),
      prices: try PriceTable(contentsOf: fixture("AstroSvitla.prices.json")))
  }

  static let expected = [
    ("USA", "4.99", "USD", "$4.99"), ("UKR", "199", "UAH", "199,00\u{A0}₴"), ("DEU", "4.99", "EUR", "4,99\u{A0}€"),
    ("GBR", "4.99", "GBP", "£4.99"), ("CAN", "6.99", "CAD", "$6.99"), ("AUS", "7.99", "AUD", "$7.99"),
  ]

  @Test(arguments: expected) func `a product has the exact price of each storefront`(
    _ country: String, _ price: String, _ currency: String, _ text: String
  ) throws {
    let products = try catalog().products(for: [Self.single], countryCode: country, locale: Locale(identifier: "en"))
    let product = try #require(products.first)
    #expect(products.count == 1 && product.type == .consumable)
    #expect(product.price == Decimal(string: price))
    #expect(product.priceFormatStyle.currencyCode == currency)
    #expect(product.displayPrice == text)
  }

  @Test func `names are in the person's language, else in English`() throws {
    let catalog = try catalog()
    func name(_ locale: String) -> String? {
      catalog.products(for: [Self.single], countryCode: "USA", locale: Locale(identifier: locale)).first?.displayName
    }
    #expect(name("uk_UA") == "1 звіт" && name("uk") == "1 звіт" && name("uk-Cyrl-UA") == "1 звіт")
    #expect(name("en_US") == "1 Report" && name("en_GB") == "1 Report" && name("fr_FR") == "1 Report")
  }

  @Test func `the shipped catalog has no problems, and unknown identifiers and countries are absent`() throws {
    let catalog = try catalog()
    #expect(catalog.problems.isEmpty)
    let locale = Locale(identifier: "en_US")
    #expect(catalog.products(countryCode: "USA", locale: locale).count == 3)
    #expect(catalog.products(for: ["com.example.unknown"], countryCode: "USA", locale: locale).isEmpty)
    #expect(catalog.products(countryCode: "ATA", locale: locale).isEmpty)
    #expect(catalog.products(countryCode: "UKR", locale: locale).map(\.id) == [Self.single])
  }

  @Test(arguments: 1...7) func `a product needs only its identifier, type and price`(_ version: Int) throws {
    let text = """
      {"version": {"major": \(version), "minor": 0, "later": 1}, "unknown": [1],
       "products": [{"productID": "a", "type": "Consumable", "displayPrice": "0.99", "unknown": {}}]}
      """
    let configuration = try StoreKitConfiguration(Data(text.utf8))
    #expect(configuration.majorVersion == version)
    let product = try #require(
      ProductCatalog(configuration).products(countryCode: "USA", locale: Locale(identifier: "uk")).first)
    #expect(product.displayName == "a" && product.price == Decimal(string: "0.99") && !product.isFamilyShareable)
    #expect(configuration.problems.isEmpty == (version <= StoreKitConfiguration.newestVersion))
  }

  static let badPrices = [
    #""4,99""#, #""$4.99""#, #""-1""#, #""""#, #"".5""#, #""5.""#, #""1e2""#, #""1.2345""#, #""NaN""#, #""1 ""#, "4.99",
    "null", "[]", #""1234567890123""#, #""٣""#,
  ]

  @Test(arguments: badPrices) func `a bad price names its product and does not hide the others`(
    _ price: String
  ) throws {
    let text = """
      {"products": [{"productID": "bad", "type": "Consumable", "displayPrice": \(price)},
                    {"productID": "good", "type": "NonConsumable", "displayPrice": "1"}, 7]}
      """
    let configuration = try StoreKitConfiguration(Data(text.utf8))
    #expect(configuration.products.map(\.id) == ["good"])
    #expect(configuration.problems.contains { $0.productID == "bad" })
    #expect(configuration.problems.contains { $0.productID == nil })
  }

  @Test func `a repeated identifier is sold once`() throws {
    let entry = #"{"productID": "a", "type": "Consumable", "displayPrice": "1"}"#
    let configuration = try StoreKitConfiguration(Data(#"{"products": [\#(entry), \#(entry)]}"#.utf8))
    #expect(configuration.products.count == 1 && configuration.problems.map(\.productID) == ["a"])
  }

  @Test func `a subscription has its group, period and introductory offer`() throws {
    let text = """
      {"subscriptionGroups": [{"id": "7", "name": "Unlimited", "subscriptions": [{
        "productID": "m", "type": "RecurringSubscription", "displayPrice": "9.99", "recurringSubscriptionPeriod": "P3M",
        "groupNumber": 2, "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P1W"},
        "adHocOffers": [{"offerID": "o", "paymentMode": "payUpFront", "displayPrice": "4.99", "numberOfPeriods": 2}]
      }, {"productID": "n", "type": "RecurringSubscription", "displayPrice": "1",
          "recurringSubscriptionPeriod": "x"}]}]}
      """
    let configuration = try StoreKitConfiguration(Data(text.utf8))
    #expect(configuration.problems.map(\.productID) == ["n"])
    let products = ProductCatalog(configuration).products(countryCode: "USA", locale: Locale(identifier: "en"))
    let subscription = try #require(products.first?.subscription)
    #expect(subscription.subscriptionGroupID == "7" && subscription.groupDisplayName == "Unlimited")
    #expect(subscription.groupLevel == 2 && subscription.subscriptionPeriod == .everyThreeMonths)
    #expect(subscription.introductoryOffer?.paymentMode == .freeTrial && subscription.introductoryOffer?.price == 0)
    #expect(subscription.promotionalOffers.first?.id == "o")
  }

  @Test(arguments: ["", "[]", "{", "7", #"{"format": 1}"#]) func `a price table that is none is refused`(
    _ text: String
  ) {
    #expect(#expect(throws: CatalogError.self) { try PriceTable(Data(text.utf8)) }?.code == .malformed)
    if !text.hasPrefix(#"{"f"#) {
      #expect(#expect(throws: CatalogError.self) { try StoreKitConfiguration(Data(text.utf8)) }?.code == .malformed)
    }
  }

  @Test func `a newer price table is refused, and a bad price is a problem of its product`() throws {
    let region = #"{"countryCode": "USA", "id": "143441", "currency": "USD", "locale": "en_US"}"#
    let newer = bytes(#"{"format": 2, "storefronts": [\#(region)]}"#)
    #expect(#expect(throws: CatalogError.self) { try PriceTable(newer) }?.code == .newerFormat)
    let table = try PriceTable(bytes(#"{"format": 1, "storefronts": [\#(region)], "prices": {"a": {"USD": 4.99}}}"#))
    #expect(table.problems.map(\.productID) == ["a"])
  }

  private func bytes(_ text: String) -> Data { Data(text.utf8) }
}
