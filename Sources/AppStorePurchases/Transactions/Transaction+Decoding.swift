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
    originalID = try members.optionalIdentifier("originalTransactionId") ?? id
    webOrderLineItemID = try members.optional("webOrderLineItemId")
    appTransactionID = try members.optional("appTransactionId") ?? ""
    productID = try members.text("productId")
    productType = Product.ProductType(rawValue: try members.text("type"))
    appBundleID = try members.text("bundleId")
    environment = AppStore.Environment(rawValue: try members.text("environment"))
    subscriptionGroupID = try members.optional("subscriptionGroupIdentifier")
    isUpgraded = try members.optional("isUpgraded") ?? false

    purchaseDate = try members.date("purchaseDate")
    originalPurchaseDate = try members.optionalDate("originalPurchaseDate") ?? purchaseDate
    expirationDate = try members.optionalDate("expiresDate")
    signedDate = try members.date("signedDate")

    purchasedQuantity = try Self.quantity(members)
    ownershipType = try members.optional("inAppOwnershipType").map(OwnershipType.init) ?? .purchased
    // Tokens from before 2023 do not say it.
    reason = try members.optional("transactionReason").map(Reason.init) ?? .purchase
    appAccountToken = try members.uuid("appAccountToken")
    offer = try Offer(members)

    price = try members.thousandths("price")
    currency = try members.currency("currency")
    storefront = Storefront(
      countryCode: try members.optional("storefront") ?? "", id: try members.optional("storefrontId") ?? "",
      currency: currency)

    revocationDate = try members.optionalDate("revocationDate")
    revocationReason = try members.optional("revocationReason").map(RevocationReason.init)
    revocationType = try members.optional("revocationType").map(RevocationType.init)
    revocationPercentage = try members.thousandths("revocationPercentage")

    deviceVerification = try members.base64("deviceVerification") ?? Data()
    deviceVerificationNonce = try members.uuid("deviceVerificationNonce") ?? .zero
  }

  private static func quantity(_ members: TokenMembers) throws -> Int {
    let quantity: Int = try members.optional("quantity") ?? 1
    guard PurchaseRequest.quantities.contains(quantity) else { throw TokenMembers.mistyped("quantity") }
    return quantity
  }
}

extension Transaction {
  /// Reads what it can of a payload that is no transaction, for a value that is not verified: a part that is missing or
  /// mistyped is empty, 0, or the beginning of 1970. So one such token can be put aside, and those after it be read.
  ///
  /// Throws ``VerificationFailure`` of step `payload` when it is not even an object.
  package init(remnantOf signature: SignatureRecord) throws {
    self = try TokenObject.read(signature.document.payload, step: .payload) { members in
      Transaction(remnant: members, signature)
    }
  }

  private init(remnant members: TokenMembers, _ signature: SignatureRecord) {
    let start = Date(timeIntervalSince1970: 0)
    self.signature = signature
    id = (try? members.identifier("transactionId")) ?? 0
    originalID = (try? members.identifier("originalTransactionId")) ?? id
    webOrderLineItemID = nil
    appTransactionID = ""
    productID = (try? members.text("productId")) ?? ""
    productType = Product.ProductType(rawValue: (try? members.text("type")) ?? "")
    appBundleID = (try? members.text("bundleId")) ?? ""
    environment = AppStore.Environment(rawValue: (try? members.text("environment")) ?? "")
    subscriptionGroupID = nil
    isUpgraded = false
    purchaseDate = (try? members.date("purchaseDate")) ?? start
    originalPurchaseDate = (try? members.date("originalPurchaseDate")) ?? purchaseDate
    expirationDate = nil
    signedDate = (try? members.date("signedDate")) ?? start
    purchasedQuantity = (try? Self.quantity(members)) ?? 1
    ownershipType = OwnershipType(rawValue: (try? members.text("inAppOwnershipType")) ?? "")
    reason = Reason(rawValue: (try? members.text("transactionReason")) ?? "")
    appAccountToken = nil
    offer = nil
    price = nil
    currency = nil
    storefront = Storefront(countryCode: (try? members.text("storefront")) ?? "", id: "")
    revocationDate = nil
    revocationReason = nil
    revocationType = nil
    revocationPercentage = nil
    deviceVerification = Data()
    deviceVerificationNonce = .zero
  }
}

extension Transaction.Offer {
  /// Nil when the token names no kind of offer.
  init?(_ members: TokenMembers) throws {
    guard let type: Int = try members.optional("offerType") else { return nil }
    id = try members.optional("offerIdentifier")
    self.type = Transaction.OfferType(rawValue: type)
    paymentMode = try members.optional("offerDiscountType").map(Product.SubscriptionOffer.PaymentMode.init)
    // A period that is not one of StoreKit's says nothing that the rest needs.
    period = try? members.period("offerPeriod")
  }
}

extension UUID {
  /// Stands for a nonce that a token does not have.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
