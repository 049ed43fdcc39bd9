public import Foundation

/// A product as the developer set it up: one price without a currency, its names in all languages.
public struct ProductDefinition: Hashable, Identifiable, Sendable {
  /// The names in one language.
  public struct Localization: Hashable, Sendable {
    /// Such as `en_US` or `uk`.
    public let locale: String
    public let displayName: String
    public let description: String
  }

  /// What makes it a subscription.
  public struct Subscription: Hashable, Sendable {
    public let groupID: String
    public let groupName: String
    /// In the languages that have one; ``groupName`` elsewhere.
    public let groupLocalizations: [Localization]
    /// 1 is the highest service of the group.
    public let level: Int
    public let period: Product.SubscriptionPeriod
    public let introductoryOffer: Offer?
    public let promotionalOffers: [Offer]
  }

  /// A lower price for a while.
  public struct Offer: Hashable, Sendable {
    /// Nil for an introductory offer.
    public let id: String?
    public let paymentMode: Product.SubscriptionOffer.PaymentMode
    /// In the currency of the product's own price; zero for a free trial.
    public let price: Decimal
    public let period: Product.SubscriptionPeriod
    public let periodCount: Int
  }

  public let id: String
  public let type: Product.ProductType
  /// For the developer, not for people; empty if the file has none.
  public let referenceName: String
  /// Exact, as the text of the file says it; in the currency of the price table's base storefront.
  public let price: Decimal
  public let isFamilyShareable: Bool
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
