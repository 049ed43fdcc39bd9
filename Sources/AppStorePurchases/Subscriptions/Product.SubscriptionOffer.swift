public import Foundation

extension Product {
  /// A lower price for the beginning, or for a while, of a subscription.
  public struct SubscriptionOffer: Hashable, Sendable {
    /// The kind of an offer. A value that this build does not know is kept as it is.
    public struct OfferType: RawRepresentable, Hashable, Sendable {
      /// The number that StoreKit gives the kind.
      public let rawValue: Int

      /// Creates a kind from a number, known or not.
      public init(rawValue: Int) {
        self.rawValue = rawValue
      }

      /// For people without an earlier one in the group.
      public static let introductory = OfferType(rawValue: 1)
      /// For people whom the app chooses.
      public static let promotional = OfferType(rawValue: 2)
      /// For people whose subscription has ended.
      public static let winBack = OfferType(rawValue: 4)
    }

    /// The way in which an offer is paid. A value that this build does not know is kept as it is.
    public struct PaymentMode: RawRepresentable, Hashable, Sendable {
      /// The name as it stands in a signed transaction.
      public let rawValue: String

      /// Creates a way from a name, known or not.
      public init(rawValue: String) {
        self.rawValue = rawValue
      }

      /// The price is paid anew in each period of the offer.
      public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
      /// The price is paid once, for the whole offer.
      public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
      /// Nothing is paid.
      public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
    }

    /// Nil for an introductory offer.
    public let id: String?
    /// The kind of offer.
    public let type: OfferType
    /// For one period, exact; zero for a free trial.
    public let price: Decimal
    /// ``price`` as people read it, with the currency's sign.
    public let displayPrice: String
    /// The length of one period of the offer.
    public let period: SubscriptionPeriod
    /// How many periods the offer lasts.
    public let periodCount: Int
    /// The way in which the offer is paid.
    public let paymentMode: PaymentMode

    /// For clients.
    public init(
      id: String?, type: OfferType, price: Decimal, displayPrice: String, period: SubscriptionPeriod, periodCount: Int,
      paymentMode: PaymentMode
    ) {
      self.id = id
      self.type = type
      self.price = price
      self.displayPrice = displayPrice
      self.period = period
      self.periodCount = periodCount
      self.paymentMode = paymentMode
    }
  }
}
