import Foundation

extension Transaction {
  /// Reads the payload of a token: step 12 of verification. Unknown properties are left alone.
  ///
  /// Throws ``VerificationFailure`` of step `properties` when one that is needed is missing, or any has a wrong type.
  package init(reading signature: SignatureRecord) throws {
    self = try TokenObject.read(signature.document.payload, step: .payload) { members in
      try Transaction(members, signature)
    }
  }

  private init(_ members: TokenMembers, _ signature: SignatureRecord) throws {
    self.signature = signature
    id = try members.identifier("transactionId")
    originalID = try members.identifier("originalTransactionId")
    webOrderLineItemID = try members.optional("webOrderLineItemId")
    productID = try members.text("productId")
    productType = Product.ProductType(rawValue: try members.text("type"))
    appBundleID = try members.text("bundleId")
    environment = AppStore.Environment(rawValue: try members.text("environment"))
    subscriptionGroupID = try members.optional("subscriptionGroupIdentifier")
    isUpgraded = try members.optional("isUpgraded") ?? false

    purchaseDate = try members.date("purchaseDate")
    originalPurchaseDate = try members.date("originalPurchaseDate")
    expirationDate = try members.optionalDate("expiresDate")
    signedDate = try members.date("signedDate")

    purchasedQuantity = try Self.quantity(members)
    ownershipType = OwnershipType(rawValue: try members.text("inAppOwnershipType"))
    reason = Reason(rawValue: try members.text("transactionReason"))
    appAccountToken = try members.uuid("appAccountToken")
    offer = try Offer(members)

    price = try members.thousandths("price")
    currency = try members.currency("currency")
    storefront = Storefront(
      countryCode: try members.text("storefront"), id: try members.text("storefrontId"), currency: currency)

    revocationDate = try members.optionalDate("revocationDate")
    revocationReason = try members.optional("revocationReason").map(RevocationReason.init)
    revocationType = try members.optional("revocationType").map(RevocationType.init)
    revocationPercentage = try members.thousandths("revocationPercentage")

    deviceVerification = try members.base64("deviceVerification") ?? Data()
    deviceVerificationNonce = try members.uuid("deviceVerificationNonce") ?? .zero
  }

  private static func quantity(_ members: TokenMembers) throws -> Int {
    let quantity: Int = try members.required("quantity")
    guard PurchaseRequest.quantities.contains(quantity) else { throw TokenMembers.mistyped("quantity") }
    return quantity
  }
}

extension Transaction.Offer {
  /// Nil when the token names no kind of offer.
  fileprivate init?(_ members: TokenMembers) throws {
    guard let type: Int = try members.optional("offerType") else { return nil }
    id = try members.optional("offerIdentifier")
    self.type = Transaction.OfferType(rawValue: type)
    paymentMode = try members.optional("offerDiscountType").map(Product.SubscriptionOffer.PaymentMode.init)
    period = try members.period("offerPeriod")
  }
}

extension UUID {
  /// Stands for a nonce that a token does not have.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
