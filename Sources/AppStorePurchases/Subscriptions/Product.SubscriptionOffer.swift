public import Foundation

extension Product {
  /// A lower price for the beginning, or for a while, of a subscription.
  public struct SubscriptionOffer: Hashable, Sendable {
    public struct OfferType: RawRepresentable, Hashable, Sendable {
      public let rawValue: Int

      public init(rawValue: Int) {
        self.rawValue = rawValue
      }

      /// For people who never had one in the group.
      public static let introductory = OfferType(rawValue: 1)
      /// For people whom the app chooses.
      public static let promotional = OfferType(rawValue: 2)
      /// For people who left.
      public static let winBack = OfferType(rawValue: 4)
    }

    public struct PaymentMode: RawRepresentable, Hashable, Sendable {
      /// The name as it stands in a signed transaction.
      public let rawValue: String

      public init(rawValue: String) {
        self.rawValue = rawValue
      }

      public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
      public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
      public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
    }

    /// Nil for an introductory offer.
    public let id: String?
    public let type: OfferType
    /// For one period, exact; zero for a free trial.
    public let price: Decimal
    public let displayPrice: String
    public let period: SubscriptionPeriod
    /// How many periods the offer lasts.
    public let periodCount: Int
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
