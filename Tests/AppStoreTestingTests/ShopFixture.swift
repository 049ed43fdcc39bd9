import AppStorePurchases
import AppStoreTesting
import Foundation

/// What the App Store of the tests sells. One product of each kind; the reader of these files has tests of its own.
enum ShopFixture {
  static let bundleID = "com.example.stars"
  static let credit = "com.example.stars.credit"
  static let unlock = "com.example.stars.unlock"
  static let season = "com.example.stars.season"
  static let monthly = "com.example.stars.monthly"
  static let yearly = "com.example.stars.yearly"
  /// Of the same rank as the monthly one, and as long.
  static let twin = "com.example.stars.twin"
  static let basic = "com.example.stars.basic"
  static let trial = "com.example.stars.trial"
  static let paced = "com.example.stars.paced"
  /// Sold in the United States only.
  static let local = "com.example.stars.local"
  static let group = "21500001"
  static let trialGroup = "21500002"
  static let pacedGroup = "21500003"

  /// 2027-01-31 09:00 UTC: the last day of a month, so that periods show how they treat month ends.
  static let start = Date(timeIntervalSince1970: 1_801_386_000)

  static let storeKitFile = Data(
    """
    {
      "identifier": "6C1D2E3F",
      "products": [
        {"productID": "\(credit)", "type": "Consumable", "displayPrice": "4.99", "familyShareable": false,
         "localizations": [
           {"locale": "en_US", "displayName": "One credit", "description": "Pays for one report"},
           {"locale": "uk", "displayName": "Один кредит", "description": "Оплачує один звіт"}]},
        {"productID": "\(unlock)", "type": "NonConsumable", "displayPrice": "9.99", "familyShareable": true},
        {"productID": "\(local)", "type": "Consumable", "displayPrice": "0.99"}
      ],
      "nonRenewingSubscriptions": [
        {"productID": "\(season)", "type": "NonRenewingSubscription", "displayPrice": "14.99"}
      ],
      "subscriptionGroups": [
        {"id": "\(group)", "name": "Unlimited", "subscriptions": [
          {"productID": "\(monthly)", "type": "RecurringSubscription", "displayPrice": "7.99", "groupNumber": 1,
           "recurringSubscriptionPeriod": "P1M", "subscriptionGroupID": "\(group)", "familyShareable": true},
          {"productID": "\(yearly)", "type": "RecurringSubscription", "displayPrice": "79.99", "groupNumber": 1,
           "recurringSubscriptionPeriod": "P1Y", "subscriptionGroupID": "\(group)",
           "adHocOffers": [{"offerID": "come.back", "paymentMode": "payUpFront", "displayPrice": "39.99",
                            "subscriptionPeriod": "P6M", "numberOfPeriods": 1}]},
          {"productID": "\(twin)", "type": "RecurringSubscription", "displayPrice": "7.49", "groupNumber": 1,
           "recurringSubscriptionPeriod": "P1M", "subscriptionGroupID": "\(group)"},
          {"productID": "\(basic)", "type": "RecurringSubscription", "displayPrice": "3.99", "groupNumber": 2,
           "recurringSubscriptionPeriod": "P1M", "subscriptionGroupID": "\(group)"}]},
        {"id": "\(trialGroup)", "name": "Trial", "subscriptions": [
          {"productID": "\(trial)", "type": "RecurringSubscription", "displayPrice": "5.99", "groupNumber": 1,
           "recurringSubscriptionPeriod": "P1M", "subscriptionGroupID": "\(trialGroup)",
           "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P1W", "numberOfPeriods": 1}}]},
        {"id": "\(pacedGroup)", "name": "Paced", "subscriptions": [
          {"productID": "\(paced)", "type": "RecurringSubscription", "displayPrice": "5.99", "groupNumber": 1,
           "recurringSubscriptionPeriod": "P1M", "subscriptionGroupID": "\(pacedGroup)",
           "introductoryOffer": {"paymentMode": "payAsYouGo", "displayPrice": "1.99", "subscriptionPeriod": "P1M",
                                 "numberOfPeriods": 3}}]}
      ],
      "version": {"major": 4, "minor": 0}
    }
    """.utf8)

  static let priceTable = Data(
    """
    {
      "format": 1,
      "baseStorefront": "USA",
      "storefronts": [
        {"countryCode": "USA", "id": "143441", "currency": "USD", "locale": "en_US"},
        {"countryCode": "UKR", "id": "143492", "currency": "UAH", "locale": "uk_UA"}
      ],
      "prices": {
        "\(credit)": {"USD": "4.99", "UAH": "199"},
        "\(unlock)": {"USD": "9.99", "UAH": "399"},
        "\(monthly)": {"USD": "7.99", "UAH": "319"}
      }
    }
    """.utf8)
}
