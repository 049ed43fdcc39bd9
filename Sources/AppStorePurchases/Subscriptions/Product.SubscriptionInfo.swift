extension Product {
  /// The part of a product that makes it a subscription: its group, its period, its offers.
  ///
  /// ```swift
  /// func terms(of subscription: Product.SubscriptionInfo) -> String {
  ///   let offer: Product.SubscriptionOffer? = subscription.introductoryOffer
  ///   let isFree = offer?.type == .introductory && offer?.paymentMode == .freeTrial
  ///   let period: Product.SubscriptionPeriod = subscription.subscriptionPeriod
  ///   let length = period.unit == .month ? "\(period.value) months" : "\(period)"
  ///   return (isFree ? "free at first, then " : offer.map { "\($0.displayPrice) at first, then " } ?? "") + length
  /// }
  /// ```
  public struct SubscriptionInfo: Hashable, Sendable {
    /// The identifier of the group; a person holds one subscription of a group at a time.
    public let subscriptionGroupID: String
    /// In the person's language; empty where the store has none.
    public let groupDisplayName: String
    /// The rank in the group: 1 is the highest service.
    public let groupLevel: Int
    /// The time between two charges.
    public let subscriptionPeriod: SubscriptionPeriod
    /// The offer for people without an earlier one in the group; nil where the product has none.
    public let introductoryOffer: SubscriptionOffer?
    /// The offers that the app's server signs for a person.
    public let promotionalOffers: [SubscriptionOffer]
    /// The offers for people whose subscription has ended. A local store has none.
    public let winBackOffers: [SubscriptionOffer]

    /// For clients.
    public init(
      subscriptionGroupID: String, groupDisplayName: String, groupLevel: Int, subscriptionPeriod: SubscriptionPeriod,
      introductoryOffer: SubscriptionOffer? = nil, promotionalOffers: [SubscriptionOffer] = [],
      winBackOffers: [SubscriptionOffer] = []
    ) {
      self.subscriptionGroupID = subscriptionGroupID
      self.groupDisplayName = groupDisplayName
      self.groupLevel = groupLevel
      self.subscriptionPeriod = subscriptionPeriod
      self.introductoryOffer = introductoryOffer
      self.promotionalOffers = promotionalOffers
      self.winBackOffers = winBackOffers
    }

    /// Whether the account may use an introductory offer of this group; false when the store cannot tell.
    public var isEligibleForIntroOffer: Bool {
      get async { await Self.isEligibleForIntroOffer(for: subscriptionGroupID) }
    }

    /// Whether the account may use an introductory offer of a group; false when the store cannot tell.
    public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
      (try? await AppStore.client.isEligibleForIntroductoryOffer(groupID: groupID)) ?? false
    }

    /// One status for each family member with a subscription of the group, also one that is over.
    ///
    /// - Throws: ``StoreKitError``.
    public var status: [Status] {
      get async throws { try await Self.status(for: subscriptionGroupID) }
    }

    /// The statuses of a group.
    ///
    /// - Throws: ``StoreKitError``.
    public static func status(for groupID: String) async throws -> [Status] {
      try await AppStore.client.subscriptionStatuses(groupID: groupID)
    }
  }
}
