extension Product.SubscriptionInfo {
  /// Where a subscription stands.
  public struct RenewalState: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    public static let subscribed = RenewalState(rawValue: 1)
    public static let expired = RenewalState(rawValue: 2)
    /// Not paid and not served, while the store tries to charge.
    public static let inBillingRetryPeriod = RenewalState(rawValue: 3)
    /// Not paid but served, while the store tries to charge.
    public static let inGracePeriod = RenewalState(rawValue: 4)
    public static let revoked = RenewalState(rawValue: 5)
  }
}
