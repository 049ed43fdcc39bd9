extension Transaction {
  /// Why the store took a purchase back.
  ///
  /// ```swift
  /// func story(of transaction: Transaction) -> [String] {
  ///   var story = [transaction.reason == Transaction.Reason.renewal ? "renewed" : "bought"]
  ///   if transaction.ownershipType == Transaction.OwnershipType.familyShared { story.append("by the family") }
  ///   if transaction.revocationReason == Transaction.RevocationReason.developerIssue { story.append("did not work") }
  ///   if transaction.revocationType == Transaction.RevocationType.proratedRefund {
  ///     story.append("\(transaction.revocationPercentage ?? 0) % came back")
  ///   }
  ///   return story
  /// }
  /// ```
  public struct RevocationReason: RawRepresentable, Hashable, Sendable {
    /// The number as it stands in a signed transaction.
    public let rawValue: Int

    /// Creates a reason from a number, known or not.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Because of a fault of the app.
    public static let developerIssue = RevocationReason(rawValue: 1)
    /// For any other reason, such as a purchase by mistake.
    public static let other = RevocationReason(rawValue: 0)
  }

  /// How much of a purchase the store took back.
  public struct RevocationType: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    /// Creates a kind from a name, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The whole price was given back.
    public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
    /// The part of the price for the time not used was given back.
    public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
    /// The purchase was taken out of Family Sharing.
    public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
  }

  /// Whether the person bought it, or somebody in the family did.
  public struct OwnershipType: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    /// Creates a kind from a name, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Bought by the account itself.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// Bought by somebody else in the family.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
  }

  /// Whether a person bought it or the store renewed it.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    /// Creates a reason from a name, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A person bought it.
    public static let purchase = Reason(rawValue: "PURCHASE")
    /// The store renewed it.
    public static let renewal = Reason(rawValue: "RENEWAL")
  }

  /// The kind of an offer that was used.
  public struct OfferType: RawRepresentable, Hashable, Sendable {
    /// The number as it stands in a signed transaction.
    public let rawValue: Int

    /// Creates a kind from a number, known or not.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// The offer for people without an earlier one in the group.
    public static let introductory = OfferType(rawValue: 1)
    /// An offer that the app's server signed.
    public static let promotional = OfferType(rawValue: 2)
    /// An offer code that the person redeemed.
    public static let code = OfferType(rawValue: 3)
    /// An offer for a person whose subscription had ended.
    public static let winBack = OfferType(rawValue: 4)
  }

  /// The offer that a subscription was bought with.
  ///
  /// ```swift
  /// let offer: Transaction.Offer? = bought.offer
  /// let isFirst = offer?.type == Transaction.OfferType.introductory
  /// ```
  public struct Offer: Hashable, Sendable {
    /// Nil for an introductory offer.
    public let id: String?
    /// The kind of offer.
    public let type: OfferType
    /// Nil for an offer code, whose terms the token does not say.
    public let paymentMode: Product.SubscriptionOffer.PaymentMode?
    /// Nil where the token does not say it.
    public let period: Product.SubscriptionPeriod?
  }

  /// How a request for a refund ended. The refund itself arrives through ``updates``.
  ///
  /// ```swift
  /// do {
  ///   switch try await transaction.beginRefundRequest() {
  ///   case .success: show("Asked for")
  ///   case .userCancelled: break
  ///   }
  /// } catch Transaction.RefundRequestError.duplicateRequest {
  ///   show("Asked for already")
  /// }
  /// ```
  public enum RefundRequestStatus: Hashable, Sendable {
    /// The store took the request. It decides later.
    case success
    /// The person closed the request.
    case userCancelled
  }

  /// The failure of a request for a refund.
  public enum RefundRequestError: Error, Hashable, Sendable {
    /// One is under way, or the purchase is refunded already.
    case duplicateRequest
    /// The store did not take the request.
    case failed
  }
}
