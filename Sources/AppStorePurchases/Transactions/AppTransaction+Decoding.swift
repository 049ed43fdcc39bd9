import Foundation

extension AppTransaction {
  /// Reads the payload of a token: step 12 of verification. Unknown properties are left alone.
  ///
  /// Throws ``VerificationFailure`` of step `properties` when one that is needed is missing, or any has a wrong type.
  package init(reading signature: SignatureRecord) throws {
    self = try TokenObject.read(signature.document.payload, step: .payload) { members in
      try AppTransaction(members, signature)
    }
  }

  private init(_ members: TokenMembers, _ signature: SignatureRecord) throws {
    self.signature = signature
    appTransactionID = try members.optional("appTransactionId") ?? ""
    appID = try members.optional("appAppleId")
    bundleID = try members.text("bundleId")
    appVersion = try members.text("applicationVersion")
    appVersionID = try members.optional("versionExternalIdentifier")
    originalAppVersion = try members.text("originalApplicationVersion")
    originalPurchaseDate = try members.date("originalPurchaseDate")
    originalPlatform = try members.optional("originalPlatform").map(AppStore.Platform.init)
    preorderDate = try members.optionalDate("preorderDate")
    environment = AppStore.Environment(rawValue: try members.text("receiptType"))
    signedDate = try members.date("receiptCreationDate")
    deviceVerification = try members.base64("deviceVerification") ?? Data()
    deviceVerificationNonce = try members.uuid("deviceVerificationNonce") ?? .zero
  }
}
