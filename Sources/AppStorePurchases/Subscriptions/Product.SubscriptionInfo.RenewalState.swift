extension Product.SubscriptionInfo {
  /// Where a subscription stands.
  public struct RenewalState: RawRepresentable, Hashable, Sendable {
    /// The number that StoreKit gives the state.
    public let rawValue: Int

    /// Creates a state from a number, known or not.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Paid and served.
    public static let subscribed = RenewalState(rawValue: 1)
    /// Over, and not renewed.
    public static let expired = RenewalState(rawValue: 2)
    /// Not paid and not served, while the store tries to charge.
    public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
    /// Not paid but served, while the store tries to charge.
    public static let inGracePeriod = RenewalState(rawValue: 4)
    /// Taken back by the store: refunded, or taken out of Family Sharing.
    public static let revoked = RenewalState(rawValue: 5)
  }
}
