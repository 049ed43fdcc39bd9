import Foundation

/// The JSON of a `.storekit` file, read leniently; see ``StoreKitConfiguration``.
struct StoreKitFile: Decodable {
  let majorVersion: Int?
  let products: [ProductDefinition]
  let problems: [CatalogProblem]
  let storefrontCountryCode: String?
  let localeIdentifier: String?

  init(from decoder: any Decoder) throws {
    var members = CatalogMembers(try decoder.container(keyedBy: CatalogMembers.Name.self))
    majorVersion = members.object("version") { $0.value("major", Int.self) }
    storefrontCountryCode = members.object("settings") { $0.value("_storefront", String.self) }
    localeIdentifier = members.object("settings") { $0.value("_locale", String.self) }
    let single = ["products", "nonRenewingSubscriptions"].flatMap { name in
      members.objects(name) { Self.product(&$0, group: nil) }
    }
    let grouped = members.objects("subscriptionGroups") { Self.subscriptions(&$0) }.flatMap { $0 }
    products = single + grouped
    problems = members.problems
  }

  private struct Group {
    let id: String
    let name: String
    let localizations: [ProductDefinition.Localization]
  }

  private static func subscriptions(_ members: inout CatalogMembers) -> [ProductDefinition] {
    let name = members.value("name", String.self) ?? ""
    let group = Group(
      id: members.value("id", String.self) ?? name, name: name, localizations: localizations(&members))
    return members.objects("subscriptions") { product(&$0, group: group) }
  }

  /// Nil, with a note, for a product that cannot be sold.
  private static func product(_ members: inout CatalogMembers, group: Group?) -> ProductDefinition? {
    guard let id = members.value("productID", String.self), !id.isEmpty else {
      members.note("a product has no productID and is left out")
      return nil
    }
    members.productID = id
    guard let type = type(members.value("type", String.self), isGrouped: group != nil) else {
      members.note("the type is missing or unknown, so that the product is left out")
      return nil
    }
    guard let price = members.value("displayPrice", String.self).flatMap(PriceText.decimal) else {
      members.note("the price is missing or is not a number such as 4.99, so that the product is left out")
      return nil
    }
    var subscription: ProductDefinition.Subscription?
    if let group { subscription = Self.subscription(&members, group) }
    guard (subscription != nil) == (type == .autoRenewable) else { return nil }
    return ProductDefinition(
      id: id, type: type, referenceName: members.value("referenceName") ?? "", price: price,
      isFamilyShareable: members.value("familyShareable") ?? false, localizations: localizations(&members),
      subscription: subscription)
  }

  private static func type(_ name: String?, isGrouped: Bool) -> Product.ProductType? {
    switch (name, isGrouped) {
    case ("Consumable", false): .consumable
    case ("NonConsumable", false): .nonConsumable
    case ("NonRenewingSubscription", false): .nonRenewable
    case ("RecurringSubscription", true): .autoRenewable
    default: nil
    }
  }

  private static func localizations(_ members: inout CatalogMembers) -> [ProductDefinition.Localization] {
    members.objects("localizations") { members in
      guard let locale = members.value("locale", String.self) else { return nil }
      return ProductDefinition.Localization(
        locale: locale, displayName: members.value("displayName") ?? "", description: members.value("description") ?? ""
      )
    }
  }

  private static func subscription(_ members: inout CatalogMembers, _ group: Group) -> ProductDefinition.Subscription? {
    let text = members.value("recurringSubscriptionPeriod", String.self) ?? "P1M"
    guard let period = Product.SubscriptionPeriod(iso8601: text) else {
      members.note("the period is not a duration such as P1M, so that the subscription is left out")
      return nil
    }
    return ProductDefinition.Subscription(
      groupID: members.value("subscriptionGroupID") ?? group.id, groupName: group.name,
      groupLocalizations: group.localizations, level: members.value("groupNumber") ?? 1, period: period,
      introductoryOffer: members.object("introductoryOffer") { offer(&$0) },
      promotionalOffers: members.objects("adHocOffers") { offer(&$0) }.filter { $0.id != nil })
  }

  /// Nil, with a note, for an offer whose terms are not clear; the product is sold without it.
  private static func offer(_ members: inout CatalogMembers) -> ProductDefinition.Offer? {
    let mode = paymentMode(members.value("paymentMode"))
    let price = mode == .freeTrial ? 0 : members.value("displayPrice", String.self).flatMap(PriceText.decimal)
    let period = Product.SubscriptionPeriod(iso8601: members.value("subscriptionPeriod") ?? "P1M")
    let count = members.value("numberOfPeriods", Int.self) ?? 1
    guard let mode, let price, let period, count > 0 else {
      members.note("an offer has no clear payment mode, price or period and is left out")
      return nil
    }
    return ProductDefinition.Offer(
      id: members.value("offerID"), paymentMode: mode, price: price, period: period, periodCount: count)
  }

  private static func paymentMode(_ name: String?) -> Product.SubscriptionOffer.PaymentMode? {
    switch name {
    case "free": .freeTrial
    case "payAsYouGo": .payAsYouGo
    case "payUpFront": .payUpFront
    default: nil
    }
  }
}
