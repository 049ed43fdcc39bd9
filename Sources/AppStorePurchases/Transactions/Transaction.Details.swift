extension Transaction {
  /// Why the store took a purchase back.
  public struct RevocationReason: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Because of a fault of the app.
    public static let developerIssue = RevocationReason(rawValue: 1)
    public static let other = RevocationReason(rawValue: 0)
  }

  /// How much of a purchase the store took back.
  public struct RevocationType: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
    public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
    public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
  }

  /// Whether the person bought it, or somebody in the family did.
  public struct OwnershipType: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
  }

  /// Whether a person bought it or the store renewed it.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    public static let purchase = Reason(rawValue: "PURCHASE")
    public static let renewal = Reason(rawValue: "RENEWAL")
  }

  /// The kind of an offer that was used.
  public struct OfferType: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    public static let introductory = OfferType(rawValue: 1)
    public static let promotional = OfferType(rawValue: 2)
    public static let code = OfferType(rawValue: 3)
    public static let winBack = OfferType(rawValue: 4)
  }

  /// The offer that a subscription was bought with.
  public struct Offer: Hashable, Sendable {
    /// Nil for an introductory offer.
    public let id: String?
    public let type: OfferType
    /// Nil for an offer code, whose terms the token does not say.
    public let paymentMode: Product.SubscriptionOffer.PaymentMode?
    /// Nil where the token does not say it.
    public let period: Product.SubscriptionPeriod?
  }

  /// How a request for a refund ended. The refund itself arrives through ``updates``.
  public enum RefundRequestStatus: Hashable, Sendable {
    case success
    case userCancelled
  }

  public enum RefundRequestError: Error, Hashable, Sendable {
    /// One is under way, or the purchase is refunded already.
    case duplicateRequest
    case failed
  }
}
