extension Product {
  /// The meaning of buying a product. A kind that this build does not know keeps the name the store gave it.
  public struct ProductType: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    /// Creates a kind from a name. Any name is accepted, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Used up, and bought again.
    public static let consumable = ProductType(rawValue: "Consumable")
    /// Bought once, owned for ever.
    public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
    /// For a time that the app counts itself.
    public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
    /// Renewed and paid again until it is cancelled.
    public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
  }
}
