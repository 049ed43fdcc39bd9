public import Foundation

/// Everything an app sells: its products, and what they cost where. Gives the ``Product`` values of one storefront and
/// language.
///
/// ```swift
/// let catalog = ProductCatalog(try StoreKitConfiguration(products), prices: try PriceTable(prices))
/// for problem: CatalogProblem in catalog.problems { report("\(problem.productID ?? "the file"): \(problem.message)") }
/// let region: PriceTable.Region? = catalog.prices.region(countryCode: "UKR")
/// let shelf = catalog.products(countryCode: "UKR", locale: Locale(identifier: region?.localeIdentifier ?? "en"))
/// ```
public struct ProductCatalog: Sendable {
  /// The products as the developer set them up.
  public let configuration: StoreKitConfiguration
  /// The regions and their prices.
  public let prices: PriceTable

  /// Joins the two files. Nothing is checked here; ``problems`` lists what does not fit.
  public init(_ configuration: StoreKitConfiguration, prices: PriceTable = .unitedStates) {
    self.configuration = configuration
    self.prices = prices
  }

  /// The mistakes in either file, and the places where they contradict each other.
  public var problems: [CatalogProblem] {
    configuration.problems + prices.problems + contradictions
  }

  /// The products that are sold in a country, in the order of the `.storekit` file: of the identifiers if any are
  /// given, else all. Empty where the app is not sold.
  ///
  /// A product without a price for the storefront is not sold there; in the base storefront the price of the
  /// `.storekit` file serves. `locale` is the person's language; prices are written as the storefront's people do.
  public func products(
    for identifiers: Set<String>? = nil, countryCode: String, locale: Locale
  ) -> [Product] {
    guard let region = prices.region(countryCode: countryCode) else { return [] }
    return configuration.products
      .filter { identifiers?.contains($0.id) ?? true }
      .compactMap { product($0, region, locale) }
  }

  private func product(_ definition: ProductDefinition, _ region: PriceTable.Region, _ locale: Locale) -> Product? {
    guard let price = price(of: definition, in: region), let currency = region.currencyCode else { return nil }
    let format = Decimal.FormatStyle.Currency(
      code: currency, locale: Locale(identifier: region.localeIdentifier))
    let names = definition.localization(for: locale)
    let fallback = definition.referenceName.isEmpty ? definition.id : definition.referenceName
    let name = names?.displayName ?? ""
    return Product(
      id: definition.id, type: definition.type, displayName: name.isEmpty ? fallback : name,
      description: names?.description ?? "", price: price, priceFormatStyle: format,
      isFamilyShareable: definition.isFamilyShareable,
      subscription: definition.subscription.map { subscription($0, of: definition, region, format, locale) })
  }

  private func price(of definition: ProductDefinition, in region: PriceTable.Region) -> Decimal? {
    prices.price(of: definition.id, in: region) ?? (isBase(region) ? definition.price : nil)
  }

  private func isBase(_ region: PriceTable.Region) -> Bool {
    region.storefront.countryCode == prices.baseCountryCode
  }

  private func subscription(
    _ subscription: ProductDefinition.Subscription, of definition: ProductDefinition, _ region: PriceTable.Region,
    _ format: Decimal.FormatStyle.Currency, _ locale: Locale
  ) -> Product.SubscriptionInfo {
    let groupName = ProductDefinition.best(subscription.groupLocalizations, for: locale)?.displayName ?? ""
    let introductory = region.currencyCode.flatMap { prices.introductoryPrices[definition.id]?[$0] }
    return Product.SubscriptionInfo(
      subscriptionGroupID: subscription.groupID,
      groupDisplayName: groupName.isEmpty ? subscription.groupName : groupName,
      groupLevel: subscription.level, subscriptionPeriod: subscription.period,
      introductoryOffer: subscription.introductoryOffer.flatMap {
        offer($0, .introductory, region, format, price: introductory)
      },
      promotionalOffers: subscription.promotionalOffers.compactMap { offer($0, .promotional, region, format) })
  }

  /// Nil where the offer's price is not known in the region's currency.
  private func offer(
    _ offer: ProductDefinition.Offer, _ type: Product.SubscriptionOffer.OfferType, _ region: PriceTable.Region,
    _ format: Decimal.FormatStyle.Currency, price: Decimal? = nil
  ) -> Product.SubscriptionOffer? {
    let isFree = offer.paymentMode == .freeTrial
    guard let price = isFree ? 0 : price ?? (isBase(region) ? offer.price : nil) else { return nil }
    return Product.SubscriptionOffer(
      id: offer.id, type: type, price: price, displayPrice: format.format(price), period: offer.period,
      periodCount: offer.periodCount, paymentMode: offer.paymentMode)
  }

  private var contradictions: [CatalogProblem] {
    guard let base = prices.region(countryCode: prices.baseCountryCode) else { return [] }
    return configuration.products.compactMap { definition in
      guard let price = prices.price(of: definition.id, in: base), price != definition.price else { return nil }
      return CatalogProblem(
        definition.id, "the .storekit file and the price table differ in the price for \(prices.baseCountryCode)")
    }
  }
}
