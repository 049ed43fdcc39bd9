import Foundation

extension ServerNotification {
  /// A notification whose signature holds, with the tokens inside still unread.
  struct Payload {
    /// The texts inside, which are believed when their own steps have held.
    struct Tokens {
      var transaction: String?
      var renewalInfo: String?
    }

    enum Content {
      case data(Details, Tokens)
      case summary(Summary)
      case externalPurchaseToken(ExternalPurchaseToken)
    }

    let id: UUID
    let kind: Kind
    let subtype: Subtype?
    let version: String
    let signedDate: Date
    let content: Content

    /// Reads a payload: step 12 of verification. Unknown properties are left alone.
    ///
    /// Throws ``VerificationFailure`` of step `properties` when one that is needed is missing, or any has a wrong type.
    init(_ payload: Data) throws {
      self = try TokenObject.read(payload, step: .payload) { members in try Payload(members) }
    }

    private init(_ members: TokenMembers) throws {
      id = try TokenMembers.unwrap(members.uuid("notificationUUID"), "notificationUUID")
      kind = Kind(rawValue: try members.text("notificationType"))
      subtype = try members.optional("subtype").map(Subtype.init)
      version = try members.text("version")
      signedDate = try members.date("signedDate")
      if let data = try members.object("data") {
        let tokens = Tokens(
          transaction: try data.optional("signedTransactionInfo"), renewalInfo: try data.optional("signedRenewalInfo"))
        content = .data(try Details(data), tokens)
      } else if let summary = try members.object("summary") {
        content = .summary(try Summary(summary))
      } else if let token = try members.object("externalPurchaseToken") {
        content = .externalPurchaseToken(try ExternalPurchaseToken(token))
      } else {
        throw VerificationFailure(.properties, "the notification has no content that this build knows")
      }
    }

    /// The app and the environment that the content names.
    var claims: TokenClaims {
      switch content {
      case .data(let data, _): TokenClaims(data.bundleID, data.environment, data.appAppleID)
      case .summary(let summary): TokenClaims(summary.bundleID, summary.environment, summary.appAppleID)
      case .externalPurchaseToken(let token): TokenClaims(token.bundleID, token.environment, token.appAppleID)
      }
    }
  }

  init(
    _ payload: Payload, document: SignedDocument, transaction: Transaction?,
    renewalInfo: Product.SubscriptionInfo.RenewalInfo?
  ) {
    id = payload.id
    kind = payload.kind
    subtype = payload.subtype
    version = payload.version
    signedDate = payload.signedDate
    signature = SignatureRecord(document)
    switch payload.content {
    case .data(var details, _):
      (details.transaction, details.renewalInfo) = (transaction, renewalInfo)
      content = .data(details)
    case .summary(let summary): content = .summary(summary)
    case .externalPurchaseToken(let token): content = .externalPurchaseToken(token)
    }
  }
}

extension ServerNotification.Details {
  init(_ members: TokenMembers) throws {
    bundleID = try members.text("bundleId")
    appAppleID = try members.optional("appAppleId")
    bundleVersion = try members.optional("bundleVersion")
    environment = AppStore.Environment(rawValue: try members.text("environment"))
    status = try members.optional("status").map(Product.SubscriptionInfo.RenewalState.init)
    consumptionRequestReason = try members.optional("consumptionRequestReason")
  }
}

extension ServerNotification.Summary {
  init(_ members: TokenMembers) throws {
    requestID = try TokenMembers.unwrap(members.uuid("requestIdentifier"), "requestIdentifier")
    bundleID = try members.text("bundleId")
    appAppleID = try members.optional("appAppleId")
    environment = AppStore.Environment(rawValue: try members.text("environment"))
    productID = try members.text("productId")
    storefrontCountryCodes = try members.optional("storefrontCountryCodes") ?? []
    succeededCount = try members.required("succeededCount")
    failedCount = try members.required("failedCount")
  }
}

extension ServerNotification.ExternalPurchaseToken {
  init(_ members: TokenMembers) throws {
    id = try members.text("externalPurchaseId")
    creationDate = try members.date("tokenCreationDate")
    bundleID = try members.text("bundleId")
    appAppleID = try members.optional("appAppleId")
  }
}
