public import Foundation

/// Something that an app sells, as the account's storefront and language show it. A snapshot: load it again when the
/// storefront changes.
///
/// ```swift
/// let products = try await Product.products(for: ["com.example.stars.credit", "com.example.stars.unlock"])
/// for product in products.sorted(by: { $0.price < $1.price }) {
///   let isKept = product.type != .consumable
///   print(product.displayName, product.displayPrice, isKept ? "for ever" : "to be used once")
/// }
/// var options: Set<Product.PurchaseOption> = [.appAccountToken(user), .custom(key: "source", value: "paywall")]
/// if products[0].type == Product.ProductType.consumable { options.insert(.quantity(2)) }
/// ```
public struct Product: Identifiable, Hashable, Sendable {
  /// The identifier that the developer chose, such as `com.example.credit.single`.
  public let id: String
  /// The kind of product, which decides how its transactions are delivered.
  public let type: ProductType
  /// In the person's language.
  public let displayName: String
  /// In the person's language.
  public let description: String
  /// In the storefront's currency, exact.
  public let price: Decimal
  /// ``price`` as people read it, with the currency's sign.
  public let displayPrice: String
  /// Whether a purchase serves the person's family.
  public let isFamilyShareable: Bool
  /// Nil unless ``type`` is `.autoRenewable`.
  public let subscription: SubscriptionInfo?
  /// How ``price`` is written, for sums and shares of it.
  public let priceFormatStyle: Decimal.FormatStyle.Currency
  /// The product as the store describes it, in JSON.
  public let jsonRepresentation: Data

  package var origin = StoreOrigin()

  /// For clients; an app receives products from ``products(for:)``. `displayPrice` is made by the format when it is
  /// left out.
  public init(
    id: String, type: ProductType, displayName: String, description: String, price: Decimal,
    priceFormatStyle: Decimal.FormatStyle.Currency, displayPrice: String? = nil, isFamilyShareable: Bool = false,
    subscription: SubscriptionInfo? = nil, jsonRepresentation: Data = Data()
  ) {
    self.id = id
    self.type = type
    self.displayName = displayName
    self.description = description
    self.price = price
    self.displayPrice = displayPrice ?? priceFormatStyle.format(price)
    self.isFamilyShareable = isFamilyShareable
    self.subscription = subscription
    self.priceFormatStyle = priceFormatStyle
    self.jsonRepresentation = jsonRepresentation
  }

  /// Loads products. Unknown identifiers are absent from the answer and repeated ones count once; the order is not
  /// that of `identifiers`.
  ///
  /// - Throws: ``StoreKitError``; with no client connected `systemError`, whose cause says what to do.
  public static func products<Identifiers>(for identifiers: Identifiers) async throws -> [Product]
  where Identifiers: Collection, Identifiers.Element == String {
    let client = try AppStore.client
    return try await client.products(for: Set(identifiers)).map { product in
      var product = product
      product.origin = StoreOrigin(client)
      return product
    }
  }

  /// Buys the product once, or ``PurchaseOption/quantity(_:)`` times.
  ///
  /// A success holds a transaction that you verify, deliver and then finish. The same transaction may arrive through
  /// ``Transaction/updates`` too.
  ///
  /// - Throws: ``PurchaseError`` for options that the store refuses, else ``StoreKitError``. After a throw the purchase
  ///   may still have been made, and then arrives as unfinished.
  public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
    let client = try origin.resolve()
    let result = try await client.purchase(PurchaseRequest(self, options: options))
    guard case .success(let transaction) = result else { return result }
    return .success(transaction.from(client))
  }

  /// The newest transaction of this product, finished or not; nil when there is none or the store cannot be read.
  public var latestTransaction: VerificationResult<Transaction>? {
    get async {
      guard let client = try? origin.resolve() else { return nil }
      return try? await client.latestTransaction(for: id)?.from(client)
    }
  }

  /// The transaction that lets the person use this product now; always nil for a consumable.
  public var currentEntitlement: VerificationResult<Transaction>? {
    get async {
      let client = try? origin.resolve()
      return await Transaction.Transactions(.transactions(.currentEntitlement(productID: id)), client).first { _ in true
      }
    }
  }
}
