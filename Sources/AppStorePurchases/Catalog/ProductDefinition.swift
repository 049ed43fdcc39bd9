public import Foundation

/// A product as the developer set it up: one price without a currency, its names in all languages.
///
/// ```swift
/// func line(_ product: ProductDefinition) -> String {
///   let text: ProductDefinition.Localization? = product.localization(for: Locale(identifier: "uk"))
///   let plan: ProductDefinition.Subscription? = product.subscription
///   let offers: [ProductDefinition.Offer] = plan?.promotionalOffers ?? []
///   return "\(text?.displayName ?? product.referenceName): level \(plan?.level ?? 0), \(offers.count) offers"
/// }
/// ```
public struct ProductDefinition: Hashable, Identifiable, Sendable {
  /// The names in one language.
  public struct Localization: Hashable, Sendable {
    /// Such as `en_US` or `uk`.
    public let locale: String
    /// The product's name as people read it.
    public let displayName: String
    /// The product's description as people read it.
    public let description: String
  }

  /// The part of a product that makes it a subscription.
  public struct Subscription: Hashable, Sendable {
    /// The group's identifier; a person holds one subscription of a group at a time.
    public let groupID: String
    /// The group's name for the developer.
    public let groupName: String
    /// In the languages that have one; ``groupName`` elsewhere.
    public let groupLocalizations: [Localization]
    /// 1 is the highest service of the group.
    public let level: Int
    /// The time between two charges.
    public let period: Product.SubscriptionPeriod
    /// The offer for people without an earlier one in the group; nil where the product has none.
    public let introductoryOffer: Offer?
    /// The offers that the app's server signs for a person.
    public let promotionalOffers: [Offer]
  }

  /// A lower price for a while.
  public struct Offer: Hashable, Sendable {
    /// Nil for an introductory offer.
    public let id: String?
    /// The way in which the price is paid.
    public let paymentMode: Product.SubscriptionOffer.PaymentMode
    /// In the currency of the product's own price; zero for a free trial.
    public let price: Decimal
    /// The length of one period of the offer.
    public let period: Product.SubscriptionPeriod
    /// The number of periods that the offer lasts.
    public let periodCount: Int
  }

  /// The identifier that the developer chose.
  public let id: String
  /// The kind of product.
  public let type: Product.ProductType
  /// For the developer, not for people; empty if the file has none.
  public let referenceName: String
  /// Exact, as the text of the file says it; in the currency of the price table's base storefront.
  public let price: Decimal
  /// Whether a purchase serves the person's family.
  public let isFamilyShareable: Bool
  /// The names by language, in the order of the file.
  public let localizations: [Localization]
  /// Nil unless ``type`` is `.autoRenewable`.
  public let subscription: Subscription?

  /// The names for a language: of the same locale, else of the same language, else English, else the first; nil if
  /// there are none.
  public func localization(for locale: Locale) -> Localization? {
    Self.best(localizations, for: locale)
  }

  static func best(_ all: [Localization], for locale: Locale) -> Localization? {
    let wished = Locale(identifier: locale.identifier)
    func first(_ isFit: (Locale) -> Bool) -> Localization? {
      all.first { isFit(Locale(identifier: $0.locale)) }
    }
    return first { $0.language.languageCode == wished.language.languageCode && $0.region == wished.region }
      ?? first { $0.language.languageCode == wished.language.languageCode }
      ?? first { $0.language.languageCode == .english } ?? all.first
  }
}
