import AppStorePurchases
import StoreKit

// StoreKit's values in our types. Every type is named with its module, for on Apple's systems both are there.

extension StoreKit.Product {
  var translated: AppStorePurchases.Product {
    AppStorePurchases.Product(
      id: id, type: .init(rawValue: type.rawValue), displayName: displayName, description: description, price: price,
      priceFormatStyle: priceFormatStyle, displayPrice: displayPrice, isFamilyShareable: isFamilyShareable,
      subscription: subscription?.translated, jsonRepresentation: jsonRepresentation)
  }
}

extension StoreKit.Product.SubscriptionInfo {
  fileprivate var translated: AppStorePurchases.Product.SubscriptionInfo {
    AppStorePurchases.Product.SubscriptionInfo(
      subscriptionGroupID: subscriptionGroupID, groupDisplayName: groupDisplayName, groupLevel: groupLevel,
      subscriptionPeriod: subscriptionPeriod.translated, introductoryOffer: introductoryOffer?.translated,
      promotionalOffers: promotionalOffers.map(\.translated), winBackOffers: winBackOffers.map(\.translated))
  }
}

extension StoreKit.Product.SubscriptionPeriod {
  fileprivate var translated: AppStorePurchases.Product.SubscriptionPeriod {
    AppStorePurchases.Product.SubscriptionPeriod(unit: unitTranslated, value: value)
  }

  private var unitTranslated: AppStorePurchases.Product.SubscriptionPeriod.Unit {
    if case .day = unit { return .day }
    if case .week = unit { return .week }
    if case .month = unit { return .month }
    return .year
  }
}

extension StoreKit.Product.SubscriptionOffer {
  fileprivate var translated: AppStorePurchases.Product.SubscriptionOffer {
    AppStorePurchases.Product.SubscriptionOffer(
      id: id, type: typeTranslated, price: price, displayPrice: displayPrice, period: period.translated,
      periodCount: periodCount, paymentMode: modeTranslated)
  }

  private var typeTranslated: AppStorePurchases.Product.SubscriptionOffer.OfferType {
    if type == .introductory { return .introductory }
    return type == .promotional ? .promotional : .winBack
  }

  private var modeTranslated: AppStorePurchases.Product.SubscriptionOffer.PaymentMode {
    if paymentMode == .freeTrial { return .freeTrial }
    return paymentMode == .payUpFront ? .payUpFront : .payAsYouGo
  }
}

extension StoreKit.Storefront {
  /// The currency is known from products and transactions only.
  var translated: AppStorePurchases.Storefront {
    AppStorePurchases.Storefront(countryCode: countryCode, id: id)
  }
}

extension PurchaseRequest {
  var appleOptions: Set<StoreKit.Product.PurchaseOption> {
    var options: Set<StoreKit.Product.PurchaseOption> = [
      .onStorefrontChange { shouldContinue(in: $0.translated) }
    ]
    if quantity != 1 { options.insert(.quantity(quantity)) }
    if let appAccountToken { options.insert(.appAccountToken(appAccountToken)) }
    if simulatesAskToBuy { options.insert(.simulatesAskToBuyInSandbox(true)) }
    for (key, value) in customValues {
      switch value {
      case .text(let value): options.insert(.custom(key: key, value: value))
      case .number(let value): options.insert(.custom(key: key, value: value))
      case .flag(let value): options.insert(.custom(key: key, value: value))
      case .data(let value): options.insert(.custom(key: key, value: value))
      }
    }
    return options
  }
}

/// Runs a call of StoreKit's and throws our errors for its own; others go through.
func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
  do {
    return try await body()
  } catch let error as StoreKit.StoreKitError {
    throw error.translated
  } catch let error as StoreKit.Product.PurchaseError {
    throw error.translated
  }
}

extension StoreKit.StoreKitError {
  fileprivate var translated: AppStorePurchases.StoreKitError {
    if case .userCancelled = self { return .userCancelled }
    if case .networkError(let cause) = self { return .networkError(cause) }
    if case .systemError(let cause) = self { return .systemError(cause) }
    if case .notAvailableInStorefront = self { return .notAvailableInStorefront }
    if case .notEntitled = self { return .notEntitled }
    return .unknown
  }
}

extension StoreKit.Product.PurchaseError {
  fileprivate var translated: AppStorePurchases.Product.PurchaseError {
    if case .invalidQuantity = self { return .invalidQuantity }
    if case .purchaseNotAllowed = self { return .purchaseNotAllowed }
    if case .ineligibleForOffer = self { return .ineligibleForOffer }
    if case .invalidOfferIdentifier = self { return .invalidOfferIdentifier }
    if case .invalidOfferPrice = self { return .invalidOfferPrice }
    if case .invalidOfferSignature = self { return .invalidOfferSignature }
    if case .missingOfferParameters = self { return .missingOfferParameters }
    return .productUnavailable
  }
}
