public import Foundation

/// One purchase with its options read and checked: what a ``StoreClient`` is asked for.
///
/// ```swift
/// let request = try PurchaseRequest(product, options: options)  // what a client is asked to buy
/// if case .text(let source)? = request.customValues["source"] { print("bought by the \(source)") }
/// if case .promotional(let id, _)? = request.offer { print("with the offer \(id)") }
/// ```
public struct PurchaseRequest: Sendable {
  /// How many of a consumable one purchase may be.
  public static let quantities = 1...10

  /// A value that an app may attach under a key.
  public enum CustomValue: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A number.
    case number(Double)
    /// A truth value.
    case flag(Bool)
    /// Bytes.
    case data(Data)
  }

  /// The offer that the app asks for, with the server's signature over it.
  public enum Offer: Hashable, Sendable {
    /// An introductory offer, with the server's word on the person's eligibility.
    case introductory(compactJWS: String)
    /// The promotional offer of an identifier, with the server's signature.
    case promotional(id: String, compactJWS: String)
  }

  /// The product to buy.
  public let product: Product
  /// 1 to 10; 1 unless the product is consumable.
  public let quantity: Int
  /// The app's own account that the purchase is for; nil where the app passed none.
  public let appAccountToken: UUID?
  /// Whether a test store asks for somebody's approval first.
  public let simulatesAskToBuy: Bool
  /// Nil for what the store gives by itself.
  public let offer: Offer?
  /// The values of the purchase's `custom` options, by key.
  public let customValues: [String: CustomValue]

  private let storefrontDecision: StorefrontDecision?

  /// Reads the options of a purchase.
  ///
  /// - Throws: ``Product/PurchaseError/invalidQuantity``, and ``StoreKitError/systemError(_:)`` with a
  ///   ``StoreConnectionError`` `contradictoryOptions` when the options name one thing twice, differently.
  public init(_ product: Product, options: Set<Product.PurchaseOption> = []) throws {
    let values = options.map(\.value)
    self.product = product
    quantity = try Self.quantity(values, of: product)
    appAccountToken = try Self.only(values, "account tokens") {
      if case .appAccountToken(let id) = $0 { id } else { nil }
    }
    simulatesAskToBuy =
      try Self.only(values, "Ask to Buy settings") { if case .simulatesAskToBuy(let on) = $0 { on } else { nil } }
      ?? false
    storefrontDecision = try Self.only(values, "storefront decisions") {
      if case .storefrontChange(let decision) = $0 { decision } else { nil }
    }
    offer = try Self.only(values, "offers") {
      switch $0 {
      case .introductoryOfferEligibility(let text): .introductory(compactJWS: text)
      case .promotionalOffer(let id, let text): .promotional(id: id, compactJWS: text)
      default: nil
      }
    }
    customValues = try Dictionary(
      values.compactMap { if case .custom(let key, let value) = $0 { (key, value) } else { nil } },
      uniquingKeysWith: { _, _ in throw Self.contradiction("custom values of one key") })
  }

  /// Whether the app goes on buying in this storefront, after it changed during the purchase.
  public func shouldContinue(in storefront: Storefront) -> Bool {
    storefrontDecision?.shouldContinue(storefront) ?? true
  }

  private static func quantity(_ values: [Product.PurchaseOption.Value], of product: Product) throws -> Int {
    let wished = values.compactMap { if case .quantity(let number) = $0 { number } else { nil } }
    guard wished.count <= 1 else { throw Product.PurchaseError.invalidQuantity }
    let quantity = wished.first ?? 1
    guard quantities.contains(quantity), quantity == 1 || product.type == .consumable else {
      throw Product.PurchaseError.invalidQuantity
    }
    return quantity
  }

  private static func only<Wish>(
    _ values: [Product.PurchaseOption.Value], _ name: String, _ read: (Product.PurchaseOption.Value) -> Wish?
  ) throws -> Wish? {
    let found = values.compactMap(read)
    guard found.count <= 1 else { throw contradiction(name) }
    return found.first
  }

  private static func contradiction(_ name: String) -> StoreKitError {
    .systemError(
      StoreConnectionError(
        .contradictoryOptions, "the options of the purchase hold two different \(name); pass one"))
  }
}
