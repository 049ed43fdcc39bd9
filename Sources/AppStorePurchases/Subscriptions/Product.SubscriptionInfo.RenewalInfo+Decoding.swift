import Foundation

extension Product.SubscriptionInfo.RenewalInfo {
  /// Reads the payload of a token: step 12 of verification. Unknown properties are left alone.
  ///
  /// Throws ``VerificationFailure`` of step `properties` when one that is needed is missing, or any has a wrong type.
  package init(reading signature: SignatureRecord) throws {
    self = try TokenObject.read(signature.document.payload, step: .payload) { members in
      try Self(members, signature)
    }
  }

  private init(_ members: TokenMembers, _ signature: SignatureRecord) throws {
    self.signature = signature
    originalTransactionID = try members.identifier("originalTransactionId")
    currentProductID = try members.text("productId")
    willAutoRenew = try Self.willAutoRenew(members)
    autoRenewPreference = try members.optional("autoRenewProductId")
    expirationReason = try members.optional("expirationIntent").map(ExpirationReason.init)
    priceIncreaseStatus = try Self.priceIncreaseStatus(members)
    isInBillingRetry = try members.optional("isInBillingRetryPeriod") ?? false
    gracePeriodExpirationDate = try members.optionalDate("gracePeriodExpiresDate")
    offer = try Transaction.Offer(members)
    eligibleWinBackOfferIDs = try members.optional("eligibleWinBackOfferIds") ?? []
    appAccountToken = try members.uuid("appAccountToken")
    appTransactionID = try members.optional("appTransactionId") ?? ""
    environment = AppStore.Environment(rawValue: try members.text("environment"))
    recentSubscriptionStartDate = try members.date("recentSubscriptionStartDate")
    renewalDate = try members.optionalDate("renewalDate")
    renewalPrice = try members.thousandths("renewalPrice")
    currency = try members.currency("currency")
    signedDate = try members.date("signedDate")
    deviceVerification = try members.base64("deviceVerification") ?? Data()
    deviceVerificationNonce = try members.uuid("deviceVerificationNonce") ?? .zero
  }

  private static func willAutoRenew(_ members: TokenMembers) throws -> Bool {
    switch try members.required("autoRenewStatus", Int.self) {
    case 0: false
    case 1: true
    default: throw TokenMembers.mistyped("autoRenewStatus")
    }
  }

  private static func priceIncreaseStatus(_ members: TokenMembers) throws -> PriceIncreaseStatus {
    switch try members.optional("priceIncreaseStatus", Int.self) {
    case nil: .noIncreasePending
    case 0: .pending
    case 1: .agreed
    default: throw TokenMembers.mistyped("priceIncreaseStatus")
    }
  }
}
